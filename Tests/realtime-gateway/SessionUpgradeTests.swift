import ServiceSupport
import TestSupport
import Testing

@testable import realtime_gateway

@Suite("Sessions that upgrade to a WebSocket", .serialized)
struct SessionUpgradeTests {
    private static let namespace = "/ws-channel-7"
    private static let count = 20

    @Test(
        "A session that upgrades with compression while missed messages wait for its poll gets them, and the next one",
        arguments: ["gathering", "native"])
    func catchingUp(_ profile: String) async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["ping_interval": "50s"]) { node in
                for number in 1...Self.count {
                    try await harness.say("\(number) " + String(repeating: "가", count: 300), isHeard: false)
                }
                try await harness.tellHistory(1001, 0)
                let token = harness.token(1, profile)
                let client = try await PollingClient.open(port: node.port, token: token)
                #expect(try await client.post("40\(Self.namespace),", port: node.port).status == 200)
                try await eventually("the missed messages wait") {
                    try await node.metrics().contains("maru_deliveries_total \(Self.count)\n")
                }
                let socket = try SocketClient(
                    port: node.port,
                    headers: [("Authorization", token), ("Sec-WebSocket-Extensions", "permessage-deflate")],
                    sid: client.sid)
                #expect(socket.head.contains("permessage-deflate"))
                try socket.send("2probe")
                try await socket.until("the answer to the probe") { $0.others.contains("3probe") }
                try socket.send("5")
                try await harness.say("\(Self.count + 1) more")
                try await eventually("the next message is sent") {
                    try await node.metrics().contains("maru_deliveries_total \(Self.count + 1)\n")
                }
                try await socket.until("the missed messages") { $0.events.count >= Self.count }
                let texts = socket.record.texts(Self.namespace).prefix(Self.count)
                #expect(texts.map { Int($0.prefix { $0 != " " }) ?? 0 } == Array(1...Self.count))
            }
        }
    }
}
