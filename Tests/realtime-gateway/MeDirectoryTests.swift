import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Events about members on /me while auth-service does not answer", .serialized)
struct MeDirectoryTests {
    private static func entered(_ user: Int64, _ channel: Int64? = nil) -> String {
        let subject = DirectoryHint.Subject.member(UserID(user), of: channel.map { ChannelID($0) })
        return String(decoding: DirectoryHint(.entered, of: WorkspaceID(3), subject).encoded(), as: UTF8.self)
    }

    @Test("A new member is announced with the profile, once auth-service answers")
    func lateProfile() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let client = try await harness.device(1, port: node.port)
                harness.peers.change { $0.me.awayPaths = ["/internal/profiles"] }
                let asked = harness.peers.count("/internal/profiles")
                try await harness.redis.command("PUBLISH", DirectoryHint.redisChannel, Self.entered(70))
                // A call by itself makes two at most.
                try await eventually("calls that fail") { harness.peers.count("/internal/profiles") >= asked + 3 }
                harness.peers.change { $0.me.awayPaths = [] }
                try await client.until("the member") { record in
                    record.events.contains { $0.name == "member" && $0.body["nickname"]?.string == "n70" }
                }
                #expect(client.record.events.count { $0.name == "member" } == 1)
            }
        }
    }

    @Test("A8: A member that was removed from a channel while a profile was read gets no event about its members")
    func afterLeft() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let client = try await harness.device(1, port: node.port)
                harness.peers.change { $0.heldPaths = ["/internal/profiles"] }
                // Events about one user keep their order.
                for channel in [Int64(8), 7] {
                    try await harness.redis.command(
                        "PUBLISH", DirectoryHint.redisChannel, Self.entered(70, channel))
                }
                harness.peers.change { _ = $0.channels[8]?.remove(1) }
                try await harness.publish(.removed(room: RoomID(ChannelID(8)), after: 0, user: UserID(1)))
                try await harness.redis.command(
                    "PUBLISH", AccessHint.redisChannel, #"{"workspace_id":"3","channel_id":"8","user_id":"1"}"#)
                try await client.until("the loss of the channel") { $0.events.contains { $0.name == "left" } }
                harness.peers.change { $0.heldPaths = [] }
                try await client.until("the event of the other channel") { record in
                    record.events.contains { $0.name == "member" && $0.body["room"]?.string == "channel-7" }
                }
                let later = client.record.events.drop { $0.name != "left" }
                #expect(!later.contains { $0.name == "member" && $0.body["room"]?.string == "channel-8" })
            }
        }
    }
}
