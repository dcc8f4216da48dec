import EventLoop
import ServiceKit
import Wire

/// Limits the events of one `/me` socket: their rate, and how many are under way.
///
/// Refused events are told with the time to wait. A client that goes on regardless is closed.
struct MeCallLimiter {
    struct Limits: Sendable {
        /// Events a second, and at once.
        let rate, burst: Double
        /// Bytes of a message of the client, inflated.
        let messageSize: Int
        /// Events that have not been acknowledged.
        var underWay = 64
        /// Refused events, less admitted ones, after which the socket is closed.
        var refused = 200
    }

    enum Verdict: Equatable {
        case admitted
        case refused(retryAfter: Duration)
        /// The client does not listen to refusals.
        case close
    }

    private let limits: Limits
    private var bucket: TokenBucket
    private var underWay = 0
    private var refused = 0

    init(_ limits: Limits, now: UInt64) {
        self.limits = limits
        bucket = TokenBucket(rate: limits.rate, burst: limits.burst, now: now)
    }

    /// Decides about an event. An admitted one is ended with `finished`.
    mutating func begin(now: UInt64) -> Verdict {
        let wait = underWay < limits.underWay ? bucket.take(now: now) : .seconds(1)
        guard let wait else {
            underWay += 1
            refused = max(0, refused - 1)
            return .admitted
        }
        refused += 1
        return refused > limits.refused ? .close : .refused(retryAfter: wait)
    }

    mutating func finished() { underWay -= 1 }
}

/// Drops typing events of one socket that come within three seconds of the last one in the same room.
struct TypingThrottle {
    private var last: [RoomID: UInt64] = [:]

    private static let pause = Duration.seconds(3).wholeNanoseconds
    private static let mostRooms = 64

    /// Whether an event may be told to others.
    mutating func admit(_ room: RoomID, now: UInt64) -> Bool {
        if let before = last[room], now - before < Self.pause { return false }
        if last.count >= Self.mostRooms { last = last.filter { now - $0.value < Self.pause } }
        if last.count >= Self.mostRooms { return false }
        last[room] = now
        return true
    }
}
