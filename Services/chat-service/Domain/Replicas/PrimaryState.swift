import Synchronization

/// The server that takes writes, as it was last seen.
final class PrimaryState: Sendable {
    private struct State {
        var isDown = false
        var isSynchronous = false
    }

    private let state = Mutex(State())

    /// Whether it did not answer lately. Readers then ask the replicas first.
    var isDown: Bool { state.withLock(\.isDown) }

    /// Whether its commits waited for a replica when it was last asked.
    var isSynchronous: Bool { state.withLock(\.isSynchronous) }

    /// Returns whether it was down before.
    @discardableResult
    func answered(isSynchronous: Bool) -> Bool {
        state.withLock { state in
            defer { state = State(isDown: false, isSynchronous: isSynchronous) }
            return state.isDown
        }
    }

    /// Returns whether it was up before.
    @discardableResult
    func failed() -> Bool {
        state.withLock { state in
            defer { state.isDown = true }
            return !state.isDown
        }
    }
}
