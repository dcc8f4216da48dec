internal import Synchronization

/// Whether a service can do its work now.
final class Readiness: Sendable {
    enum State: Sendable { case starting, running, draining }

    private let checks: [ReadinessCheck]
    private let state = Mutex(State.starting)

    init(_ checks: [ReadinessCheck]) { self.checks = checks }

    func become(_ state: State) { self.state.withLock { $0 = state } }

    /// The names of the failing checks, or the state if the service is not running; empty if the service is ready.
    func problems() async -> [String] {
        switch state.withLock({ $0 }) {
        case .starting: return ["starting"]
        case .draining: return ["draining"]
        case .running: break
        }
        var problems: [String] = []
        for check in checks {
            do { try await check.run() } catch { problems.append("\(check.name)") }
        }
        return problems
    }
}

/// A condition for readiness, such as a reachable database.
struct ReadinessCheck: Sendable {
    let name: StaticString
    /// Throws if the condition is not met.
    let run: @Sendable () async throws -> Void

    init(_ name: StaticString, _ run: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.run = run
    }
}
