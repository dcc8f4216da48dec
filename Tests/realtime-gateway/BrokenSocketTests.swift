import ServiceSupport
import TestSupport
import Testing
import Wire

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

    @Test("R16: a user with a /me socket that breaks while it enters its rooms does not stay online")
    func brokenStart() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(["ping_interval": "50s", "ping_timeout": "50s"]) { node in
                // On both loops, so that the missed message is at hand there and is sent at once.
                var others: [SocketClient] = []
                for user in Int64(3)...6 { others.append(try await harness.device(user, port: node.port)) }
                try await harness.say("missed")
                for other in others {
                    try await other.until("the message") { $0.events.contains { $0.name == "message" } }
                }
                harness.peers.change { $0.isHoldingStarts = true }
                let broken = try SocketClient(port: node.port, headers: [("Authorization", harness.token(2, "native"))])
                try broken.join("/me", #"{"cursors":{"channel-7":[0,0]}}"#)
                try await eventually("a start") { harness.peers.now.startedUsers.last == [2] }
                broken.breakOtherEnd()
                harness.peers.change { $0.isHoldingStarts = false }
                try others[0].send(#"42/me,1["presence",{"users":["2"]}]"#)
                let whole = try await harness.device(2, port: node.port)
                try await Self.untilUser2(is: "online", at: others[0])
                whole.drop()
                try await Self.untilUser2(is: "offline", at: others[0])
                #expect(broken.record.isEnded)
            }
        }
    }

    private static func untilUser2(is state: String, at client: SocketClient) async throws {
        try await client.until(state) { record in
            let told = record.events.filter { $0.name == "presence" }.compactMap { $0.body["users"]?["2"]?.string }
            return told.last == state
        }
    }
}
