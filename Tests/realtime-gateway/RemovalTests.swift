import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Removal and revocation", .serialized)
struct RemovalTests {
    private static let namespace = "/ws-channel-7"

    @Test("A removed member receives nothing after the removal, and everything before it")
    func removal() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let removed = try await harness.listener(1, port: node.port)
                let other = try await harness.listener(2, port: node.port)
                for number in 1...5 { try await harness.say("\(number)") }
                // The removal is heard before the messages that come before its place, and those behind are lost at first.
                for number in 6...9 { try await harness.say("\(number)", isHeard: false) }
                harness.peers.change { _ = $0.channels[7]?.remove(1) }
                try await harness.publish(.removed(room: GatewayHarness.channel, after: 7, user: UserID(1)))
                try await harness.say("10")
                try await other.until("all") { $0.texts(Self.namespace).last == "10" }
                #expect(other.record.texts(Self.namespace) == (1...10).map(String.init))
                try await removed.until("what was before") { $0.texts(Self.namespace).last == "7" }
                for number in 11...15 { try await harness.say("\(number)") }
                try await other.until("the rest") { $0.texts(Self.namespace).last == "15" }
                #expect(removed.record.texts(Self.namespace) == (1...7).map(String.init))
                // Still in the workspace, they see the channel: the socket stays, in silence, until they join again.
                #expect(!removed.record.left.contains(Self.namespace))
                harness.peers.change { _ = $0.channels[7]?.insert(1) }
                try await harness.tellHistory(1001, 15)
                try await eventually("messages again") {
                    try await harness.say("again")
                    return removed.record.texts(Self.namespace).last == "again"
                }
            }
        }
    }

    @Test("R8: A member removed while the blocks of the joining socket are read is sent no message")
    func removedDuringJoin() async throws {
        try await GatewayHarness.use { harness in
            try await harness.say("before")
            try await harness.tellHistory(1001, 1)
            try await harness.withNode { node in
                // On both loops, so that the loop of the next socket has heard all hints that these have heard.
                var others: [SocketClient] = []
                for user in Int64(2)...5 { others.append(try await harness.device(user, port: node.port)) }
                let asked = harness.peers.count("/internal/access")
                harness.peers.change { $0.heldPaths = ["/internal/blocks"] }
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1, "native"))])
                try client.join(Self.namespace)
                try await eventually("a question about access") { harness.peers.count("/internal/access") > asked }
                harness.peers.change { _ = $0.channels[7]?.remove(1) }
                try await harness.publish(.removed(room: GatewayHarness.channel, after: 1, user: UserID(1)))
                try await harness.redis.command(
                    "PUBLISH", AccessHint.redisChannel, #"{"workspace_id":"3","channel_id":"7","user_id":"1"}"#)
                // It comes after the other hint.
                let hint = DirectoryHint(.edited, of: WorkspaceID(3), .workspace(nil))
                try await harness.redis.command(
                    "PUBLISH", DirectoryHint.redisChannel, String(decoding: hint.encoded(), as: UTF8.self))
                for other in others {
                    try await other.until("the hints") { $0.events.contains { $0.name == "workspace" } }
                }
                harness.peers.change { $0.heldPaths = [] }
                // The access may have been asked for again after the removal.
                try await client.until("an answer") {
                    $0.joined.contains(Self.namespace) || $0.refused[Self.namespace] != nil
                }
                // The next room is joined later, so what is said in it comes later as well.
                try await harness.tellHistory(1001, 0, of: RoomID(ChannelID(8)))
                try client.join("/ws-channel-8")
                try await client.until("the next room") { $0.joined.contains("/ws-channel-8") }
                try await harness.say("secret")
                try await harness.say("last", in: RoomID(ChannelID(8)))
                try await client.until("the last") { $0.texts("/ws-channel-8") == ["last"] }
                #expect(client.record.texts(Self.namespace) == [])
            }
        }
    }

    @Test("A member removed while Redis was away receives nothing of the backfill")
    func missedRemoval() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let removed = try await harness.listener(1, port: node.port)
                let other = try await harness.listener(2, port: node.port)
                try await harness.say("1")
                try await removed.until("a message") { $0.texts(Self.namespace) == ["1"] }
                await harness.redis.kill()
                harness.peers.change { _ = $0.channels[7]?.remove(1) }
                try await harness.say("2", isHeard: false)
                let healed = harness.peers.count("/internal/rooms/channel-7/messages")
                harness.peers.change { $0.isHoldingAccess = true }
                try await harness.redis.start()
                try await eventually("what was missed at the gateway") {
                    harness.peers.count("/internal/rooms/channel-7/messages") > healed
                }
                harness.peers.change { $0.isHoldingAccess = false }
                try await other.until("what was missed") { $0.texts(Self.namespace).last == "2" }
                try await harness.say("3")
                try await other.until("the next") { $0.texts(Self.namespace).last == "3" }
                #expect(removed.record.texts(Self.namespace) == ["1"])
            }
        }
    }

    @Test(
        "A member whose access is being rechecked receives the held messages once access is confirmed",
        arguments: ["gathering", "native"])
    func unknown(_ profile: String) async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                // Nothing was ever said here, so the socket is still at 0.
                let client = try await harness.reader(1, profile, port: node.port, in: GatewayHarness.channel)
                let asked = harness.peers.count("/internal/access")
                harness.peers.change { $0.isAway = true }
                try await harness.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"1"}"#)
                // Asked again: the first question has been answered in vain.
                try await eventually("two questions") { harness.peers.count("/internal/access") >= asked + 2 }
                try await harness.say("1")
                try await harness.say("2")
                harness.peers.change { $0.isAway = false }
                try await client.until("what was said") { $0.texts(Self.namespace).count >= 2 }
                try await harness.say("3")
                try await client.until("the next") { $0.texts(Self.namespace).last == "3" }
                #expect(client.record.texts(Self.namespace) == ["1", "2", "3"])
            }
        }
    }

    @Test("A closed room puts its sockets out after its last message")
    func closed() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let client = try await harness.listener(1, port: node.port)
                try await harness.say("1")
                try await harness.say("2", isHeard: false)
                harness.peers.change { $0.channels[7] = nil }
                try await harness.publish(.closed(room: GatewayHarness.channel, after: 2))
                try await client.until("the way out") { $0.left.contains(Self.namespace) }
                #expect(client.record.texts(Self.namespace) == ["1", "2"])
                // The connection stays: clients go from room to room on it.
                try client.join("/ws-channel-8")
                try await client.until("the next room") { $0.joined.contains("/ws-channel-8") }
            }
        }
    }

    @Test("A deleted workspace puts out the sockets in its rooms, even if only the hint arrives")
    func workspaceGone() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let first = try await harness.listener(1, port: node.port)
                let dm = try await harness.listener(2, port: node.port, in: GatewayHarness.dm)
                harness.peers.change { state in
                    state.channels = [:]
                    state.dms = [:]
                    state.workspace = []
                }
                try await harness.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3"}"#)
                try await first.until("the way out") { $0.left.contains(Self.namespace) }
                try await dm.until("the way out") { $0.left.contains("/ws-dm-5") }
            }
        }
    }

    @Test("A user is removed from DMs on leaving the workspace; the other member stays in them")
    func dm() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let leaver = try await harness.listener(1, port: node.port, in: GatewayHarness.dm)
                let stayer = try await harness.listener(2, port: node.port, in: GatewayHarness.dm)
                harness.peers.change { state in
                    state.workspace.remove(1)
                    state.dms[5]?.isOpen = false
                }
                try await harness.redis.command(
                    "PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"1"}"#)
                try await leaver.until("the way out") { $0.left.contains("/ws-dm-5") }
                #expect(!stayer.record.left.contains("/ws-dm-5"))
                try leaver.join("/ws-dm-5")
                try await leaver.until("a refusal") { $0.refused["/ws-dm-5"] == "Forbidden" }
            }
        }
    }

    @Test("A revoked session's sockets close within a second, while Redis is away and after it is back, too")
    func revoked() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let first = try await harness.listener(1, port: node.port)
                let second = try await harness.listener(2, port: node.port)
                let third = try await harness.listener(3, port: node.port)
                let other = try await harness.listener(4, port: node.port)
                harness.peers.change { $0.revocations.append((1001, 1)) }
                try await harness.redis.command("PUBLISH", "revocations", #"{"session":"1001","user_id":"1","at":1}"#)
                #expect(try await timed("the first's end") { first.record.isEnded } < .seconds(1).patiently)
                await harness.redis.kill()
                harness.peers.change { $0.revocations.append((1002, 2)) }
                #expect(try await timed("the second's end") { second.record.isEnded } < .seconds(1).patiently)
                try await harness.redis.start()
                harness.peers.change { $0.revocations.append((1003, 3)) }
                try await eventually("the third's end") {
                    try await harness.redis.command(
                        "PUBLISH", "revocations", #"{"session":"1003","user_id":"3","at":1}"#)
                    return third.record.isEnded
                }
                #expect(!other.record.isEnded)
                // Nor does the session open another.
                let again = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1))])
                try again.join(Self.namespace)
                try await again.until("a refusal") { $0.refused[Self.namespace] == "Unauthorized" }
            }
        }
    }
}
