import Contract
import EventLoop
import Wire

/// Coalesces the presence events of one socket: at most one a second, with the newest state of each user.
///
/// Sans-I/O. While the client reads slowly the states wait here; there are no more than users that it watches.
struct PresenceFeed {
    private var pending: [UserID: PresenceState] = [:]
    /// No event may go out before.
    private var notBefore: UInt64 = 0
    private var isScheduled = false

    private static let pause = Duration.seconds(1)

    /// Notes a state to tell. Returns the time after which `take` is to be called; nil if that was said before.
    mutating func note(_ states: [UserID: PresenceState], now: UInt64) -> Duration? {
        pending.merge(states) { $1 }
        guard !pending.isEmpty, !isScheduled else { return nil }
        isScheduled = true
        return now >= notBefore ? .zero : .nanoseconds(Int64(notBefore - now))
    }

    /// Drops the waiting states of users that are watched no more.
    mutating func keep(only users: Set<UserID>) { pending = pending.filter { users.contains($0.key) } }

    /// The states of the next event; nil while the client reads slowly, and then `take` is to be called again after `pause`.
    mutating func take(now: UInt64, isSlow: Bool) -> [UserID: PresenceState]? {
        if isSlow { return nil }
        isScheduled = false
        notBefore = now + Self.pause.wholeNanoseconds
        defer { pending = [:] }
        return pending
    }

    static var retry: Duration { pause }
}
