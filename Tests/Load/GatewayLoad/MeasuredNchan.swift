import EventLoop
import LoadClient
import TestSupport

/// nchan's raw WebSockets. Its clients receive the same bytes as ours, without Socket.IO's framing.
struct MeasuredNchan: MeasuredServer {
    let name = "nchan"
    let server: Nchan

    static func start(workers: Int) async throws -> MeasuredNchan {
        MeasuredNchan(server: try await Nchan.start(workers: workers))
    }

    var meter: ProcessMeter { ProcessMeter(pid: server.process.pid) }

    var namespaces: (@Sendable (Int) -> String)? { nil }

    func target(of number: Int) -> WebSocketFleet.Target {
        WebSocketFleet.Target(address: server.address, target: server.subscribe)
    }

    func writer(on loop: EventLoop) async throws -> any EventWriter {
        try await PostingWriter.open(server.address, server.publish, on: loop) { $0.text(for: .measured) }
    }

    func stop() async { await server.process.stop() }
}
