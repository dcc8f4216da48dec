import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Private answers to commands", .serialized)
struct PrivateAnswerTests {
    private static func tell(_ text: String, to user: Int, room: String, _ harness: GatewayHarness) async throws {
        try await harness.redis.command(
            "PUBLISH", "private-answers",
            #"""
            {"to":"\#(user)","run_id":"12","room":"\#(room)","command":"status","user_id":"9","nickname":"b",\#
            "text":"\#(text)"}
            """#)
    }

    private static func texts(_ client: SocketClient) -> [String] {
        client.record.events.filter { $0.name == "commandAnswer" }.compactMap { $0.body["text"]?.string }
    }

    @Test("A private answer reaches all devices of its member in the room, and no other user")
    func caller() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                var clients: [SocketClient] = []
                for user in [1, 1, 2] as [Int64] {
                    let client = try await SocketClient.joined(
                        "/me", port: node.port, token: harness.token(user, "native"))
                    try await client.until("ready") { $0.events.contains { $0.name == "ready" } }
                    clients.append(client)
                }
                try await Self.tell("mine", to: 1, room: "channel-7", harness)
                try await Self.tell("lost", to: 1, room: "channel-9", harness)
                // Each socket is told the last one after the others.
                for user in 1...2 { try await Self.tell("last", to: user, room: "channel-7", harness) }
                for client in clients {
                    try await client.until("the last answer") { _ in Self.texts(client).last == "last" }
                }
                #expect(clients.map(Self.texts) == [["mine", "last"], ["mine", "last"], ["last"]])
            }
        }
    }
}
