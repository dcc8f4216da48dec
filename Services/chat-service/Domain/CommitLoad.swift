import EventLoop
import Synchronization

/// Measures the share of time in which commits of sends are under way. Background work slows down while the share shows
/// that the database is at its limit.
final class CommitLoad: Sendable {
    private struct State {
        var open = 0
        /// Until when the time is counted, in the time of `EventLoop.preciseNow`.
        var counted: UInt64
        var askedAt: UInt64
        /// Nanoseconds with a commit under way since `askedAt`.
        var busy: UInt64 = 0

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

    func end(at now: UInt64 = EventLoop.preciseNow) {
        state.withLock { state in
            state.count(to: now)
            state.open -= 1
        }
    }

    /// The part of the time since the last call, 0 to 1, with a commit under way.
    func take(at now: UInt64 = EventLoop.preciseNow) -> Double {
        state.withLock { state in
            state.count(to: now)
            let share = now > state.askedAt ? Double(state.busy) / Double(now - state.askedAt) : 0
            (state.askedAt, state.busy) = (now, 0)
            return share
        }
    }
}
