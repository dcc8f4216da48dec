import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Present members", .serialized)
struct PresentMembersTests {
    private static func present(_ node: ServiceUnderTest, _ users: ClosedRange<Int64>) async throws -> [String] {
        let ids = users.map { "\"\($0)\"" }.joined(separator: ",")
        let reply = try await node.internalCall(
            "POST", "/internal/rooms/channel-7/present", json: #"{"ids":[\#(ids)]}"#)
        return try reply.json["ids"]?.elements?.compactMap(\.string) ?? ["\(reply.status)"]
    }

    @Test(
        "Members are present if they are online on any gateway or in the room with a shipped app, not if away or hidden"
    )
    func members() async throws {
        try await GatewayHarness.use { harness in
            let other = try await harness.startProcess()
            try await harness.withNode { node in
                harness.peers.change {
                    $0.settings[4] = #"{"readReceipts":true,"presence":false,"typing":true,"keywords":[]}"#
                }
                let online = try await harness.device(1, port: other.port)
                let elsewhere = try await harness.device(2, port: node.port)
                let away = try await harness.device(3, port: node.port)
                let hidden = try await harness.device(4, port: node.port)
                let shipped = try await harness.listener(60, port: other.port)
                try away.send(#"42/me,1["presence",{"state":"away"}]"#)
                try await eventually("the present members") {
                    try await Self.present(node, 1...60) == ["1", "2", "60"]
                }
                // After a standstill the gateways write their online users again.
                try await eventually("only those that were asked for") {
                    try await Self.present(node, 2...5) == ["2"]
                }
                for client in [online, elsewhere, away, hidden, shipped] { #expect(!client.record.isEnded) }
                try await harness.redis.command("FLUSHALL")
            }
            await other.stop()
        }
    }

    @Test(
        "R16: A member in a room with a shipped app is not present any more 30 seconds after the crash of their gateway"
    )
    func crash() async throws {
        try await GatewayHarness.use { harness in
            let other = try await harness.startProcess()
            try await harness.withNode { node in
                _ = try await harness.listener(60, port: other.port)
                try await eventually("the member") { try await Self.present(node, 60...60) == ["60"] }
                await other.kill()
                try await eventually(within: .seconds(30), "nobody") { try await Self.present(node, 60...60) == [] }
            }
        }
    }

    @Test("Without Redis, presence is unknown and the call fails")
    func outage() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                #expect(try await Self.present(node, 1...5) == [])
                await harness.redis.kill()
                try await eventually("a refusal") { try await Self.present(node, 1...5) == ["503"] }
            }
        }
    }
}
