import EventLoop
import Synchronization

/// Measures how commits of sends follow each other. Background work slows down while this shows that the database or the service is
/// at its limit.
final class CommitLoad: Sendable {
    /// The commits of a time.
    struct Share: Equatable {
        /// The part of the time, 0 to 1, with a commit under way.
        var busy: Double
        /// The average number of messages of the commits that have ended; 0 if none has.
        var messages = 0.0
    }

    private struct State {
        var open = 0
        /// Until when the time is counted, in the time of `EventLoop.preciseNow`.
        var counted: UInt64
        var askedAt: UInt64
        /// Nanoseconds with a commit under way since `askedAt`.
        var busy: UInt64 = 0
        /// The commits that have ended since `askedAt`, and their messages.
        var commits = 0
        var messages = 0

        mutating func count(to now: UInt64) {
            if open > 0 { busy += now - min(now, counted) }
            counted = now
        }
    }

    private let state: Mutex<State>

    init(at now: UInt64 = EventLoop.preciseNow) { state = Mutex(State(counted: now, askedAt: now)) }

    func begin(at now: UInt64 = EventLoop.preciseNow) {
        state.withLock { state in
            state.count(to: now)
            state.open += 1
        }
    }

    func end(of messages: Int, at now: UInt64 = EventLoop.preciseNow) {
        state.withLock { state in
            state.count(to: now)
            state.open -= 1
            state.commits += 1
            state.messages += messages
        }
    }

    /// The commits since the last call.
    func take(at now: UInt64 = EventLoop.preciseNow) -> Share {
        state.withLock { state in
            state.count(to: now)
            defer { (state.askedAt, state.busy, state.commits, state.messages) = (now, 0, 0, 0) }
            return Share(
                busy: now > state.askedAt ? Double(state.busy) / Double(now - state.askedAt) : 0,
                messages: state.commits > 0 ? Double(state.messages) / Double(state.commits) : 0)
        }
    }
}
