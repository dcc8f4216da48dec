internal import Synchronization

/// How many sessions a server has.
final class EngineCounts: Sendable {
    private let polling = Atomic<Int>(0)
    private let webSocket = Atomic<Int>(0)

    var now: (polling: Int, webSocket: Int) {
        (polling.load(ordering: .relaxed), webSocket.load(ordering: .relaxed))
    }

    func opened(_ transport: EngineTransport) { add(1, to: transport) }
    func closed(_ transport: EngineTransport) { add(-1, to: transport) }

    func upgraded() {
        add(-1, to: .polling)
        add(1, to: .webSocket)
    }

    private func add(_ change: Int, to transport: EngineTransport) {
        switch transport {
        case .polling: polling.add(change, ordering: .relaxed)
        case .webSocket: webSocket.add(change, ordering: .relaxed)
        }
    }
}
