import ServiceSupport
import TestSupport
import Testing

@testable import realtime_gateway

@Suite("Sockets that break while they are sent to", .serialized)
struct BrokenSocketTests {
    private static let namespace = "/ws-channel-7"

    @Test("A socket that breaks during a broadcast leaves, and the others get every message")
    func broken() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["ping_interval": "50s", "ping_timeout": "50s"]) { node in
                let whole = try await harness.listener(1, port: node.port)
                for user in Int64(2)...9 {
                    let broken = try await harness.listener(user, port: node.port)
                    broken.breakOtherEnd()
                    // So large that the gateway pushes it before it sends the next message, which came with it.
                    let texts = [String(repeating: "x", count: 400_000), "\(user)"]
                    try await harness.say(atOnce: texts)
                    try await whole.until("both") { $0.texts(Self.namespace).suffix(2) == texts[...] }
                    try await eventually("its end") {
                        try await harness.redis.command("ZCARD", "presence:channel-7") == ["1"]
                    }
                    #expect(broken.record.isEnded || broken.record.texts(Self.namespace).last != texts[1])
                }
            }
        }
    }
}
