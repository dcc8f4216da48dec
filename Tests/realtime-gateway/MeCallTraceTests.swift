import EventLoop
import HTTP
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway
@testable import standins

@Suite("Traces of calls over /me sockets", .serialized)
struct MeCallTraceTests {
    @Test("The span of a call over a socket is the parent of the internal call, in one trace chosen by the rate")
    func parents() async throws {
        let loops = EventLoopGroup(count: 1)
        let standins = try ProviderStandins()
        let server = standins.server(on: loops)
        let port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
        try await GatewayHarness.use { harness in
            let traced = ["trace_collector": "http://127.0.0.1:\(port)/collector", "trace_rate": "1"]
            try await harness.withNode(traced) { node in
                try await Self.send(harness, port: node.port)
                let parent = try #require(harness.peers.now.traces.last)
                let parts = parent.split(separator: "-").map(String.init)
                #expect(parts.count == 4 && parts[3] == "01")
                try await eventually("both spans") { standins.spans(of: parts[1]).count >= 2 }
                let spans = standins.spans(of: parts[1])
                let own = try #require(spans.first { $0["name"]?.string == "/me send" })
                let client = try #require(spans.first { $0["spanId"]?.string == parts[2] })
                #expect(client["parentSpanId"]?.string == own["spanId"]?.string)
                #expect(client["name"]?.string == "POST /internal/rooms/{room}/messages")
                #expect(own["kind"]?.int == 2 && (own["parentSpanId"]?.string ?? "") == "")
                #expect(standins.collector.refusals.isEmpty)
            }
            try await harness.withNode(["trace_collector": "http://127.0.0.1:\(port)/collector"]) { node in
                harness.peers.change { $0.traces = [] }
                try await Self.send(harness, port: node.port)
                #expect(harness.peers.now.traces.allSatisfy { $0.hasSuffix("-00") })
            }
        }
        await server.stop()
        loops.stop()
    }

    /// Sends a message over a socket, and waits until chat-service has been called.
    private static func send(_ harness: GatewayHarness, port: UInt16) async throws {
        let client = try await SocketClient.joined("/me", port: port, token: harness.token(1, "native"))
        try await client.until("ready") { $0.events.contains { $0.name == "ready" } }
        let path = "POST /internal/rooms/channel-7/messages"
        let before = harness.peers.now.calls.filter { $0 == path }.count
        try client.send(#"42/me,1["send",{"room":"channel-7","content":"a","client_id":"c"}]"#)
        try await eventually("the call") { harness.peers.now.calls.filter { $0 == path }.count > before }
    }
}

extension ProviderStandins {
    /// The spans of a trace that the collector has taken.
    fileprivate func spans(of trace: String) -> [JSONValue] {
        collector.spans.filter { $0["traceId"]?.string == trace }
    }
}
