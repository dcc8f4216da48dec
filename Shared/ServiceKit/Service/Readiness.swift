internal import Synchronization

/// Whether a service can do its work now.
final class Readiness: Sendable {
    private let checks: [ReadinessCheck]
    private let state = Mutex(State.starting)

    enum State: Sendable { case starting, running, draining }

    init(_ checks: [ReadinessCheck]) { self.checks = checks }

    func become(_ state: State) { self.state.withLock { $0 = state } }

    /// What stands in the way; nothing when ready.
    func failing() async -> [String] {
        switch state.withLock({ $0 }) {
        case .starting: return ["starting"]
        case .draining: return ["draining"]
        case .running: break
        }
        var failing: [String] = []
        for check in checks {
            do { try await check.run() } catch { failing.append("\(check.name)") }
        }
        return failing
    }
}
