public import EventLoop
internal import Synchronization

/// Lets one task sleep until another task has work for it.
public final class WakeSignal: Sendable {
    private struct State {
        var isRaised = false
        var sleeper: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    public init() {}

    /// Wakes the sleeping task; if no task sleeps, the next sleep returns at once.
    public func wake() {
        let sleeper = state.withLock { state in
            defer { state.sleeper = nil }
            if state.sleeper == nil { state.isRaised = true }
            return state.sleeper
        }
        sleeper?.resume()
    }

    /// Returns when another task calls `wake`, or after `limit`.
    public func sleep(atMost limit: Duration, on loop: EventLoop) async throws {
        let alarm = Task(executorPreference: loop) {
            try await loop.sleep(for: limit)
            self.wake()
        }
        defer { alarm.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.isRaised || Task.isCancelled {
                        state.isRaised = false
                        return true
                    }
                    state.sleeper = continuation
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
        try Task.checkCancellation()
    }
}
