import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Changes of access and settings while a /me socket starts or catches up", .serialized)
struct MeAccessTests {
    private static func rooms(_ client: SocketClient) -> [String?] {
        let ready = client.record.events.first { $0.name == "ready" }
        return ready?.body["rooms"]?.elements?.map { $0["room"]?.string } ?? []
    }

    /// Publishes hints, and waits until the devices' loops have heard them.
    private static func publish(
        _ hints: [String], on channel: String = AccessHint.redisChannel, _ harness: GatewayHarness,
        until heard: [SocketClient]
    ) async throws {
        // In one command, because calls that the peers hold meanwhile are sent again.
        let script = "for _, hint in ipairs(ARGV) do redis.call('PUBLISH', KEYS[1], hint) end"
        try await harness.redis.command(["EVAL", script, "1", channel] + hints)
        let before = heard.map { directoryEvents($0) }
        let hint = DirectoryHint(.edited, of: WorkspaceID(3), .workspace(nil))
        try await harness.redis.command(
            "PUBLISH", DirectoryHint.redisChannel, String(decoding: hint.encoded(), as: UTF8.self))
        for (client, count) in zip(heard, before) {
            try await eventually("the hints at a device") { directoryEvents(client) > count }
        }
    }

    private static func directoryEvents(_ client: SocketClient) -> Int {
        client.record.events.count { $0.name == "workspace" }
    }

    @Test(
        "R8: a member removed from a room that waits for its turn on /me is sent nothing of it",
        arguments: [
            #"{"workspace_id":"3","channel_id":"25","user_id":"1"}"#, #"{"workspace_id":"3","channel_id":"25"}"#,
            #"{"workspace_id":"3"}"#,
        ])
    func waitingRoom(_ hint: String) async throws {
        try await GatewayHarness.use { harness in
            let rooms = (Int64(20)...25).map { RoomID(ChannelID($0)) }
            harness.peers.change { state in
                for room in rooms {
                    state.channels[room.channel!.rawValue] = [1, 2]
                    state.heldPaths.insert("/internal/rooms/\(room)/messages")
                }
            }
            for room in rooms { try await harness.say("missed in \(room)", in: room) }
            try await harness.withNode { node in
                let cursors = rooms.map { #""\#($0)":[0,0]"# }.joined(separator: ",")
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1, "native"))])
                try client.join("/me", #"{"cursors":{\#(cursors)}}"#)
                // Calls that are held for too long fail, and then other rooms have their turns.
                try await eventually("four rooms that are resumed") {
                    Set(harness.peers.now.calls.filter { $0.hasSuffix("/messages") }).count >= 4
                }
                harness.peers.change { _ = $0.channels[25]?.remove(1) }
                try await harness.publish(.removed(room: rooms[5], after: 1, user: UserID(1)))
                try await harness.redis.command("PUBLISH", AccessHint.redisChannel, hint)
                try await client.until("the loss of the room") { record in
                    record.events.contains { $0.name == "left" && $0.body["room"]?.string == "channel-25" }
                }
                harness.peers.change { $0.heldPaths = [] }
                try await client.until("what was missed elsewhere") { record in
                    record.events.contains { $0.name == "message" && $0.body["room"]?.string == "channel-24" }
                }
                try await harness.say("secret", in: rooms[5])
                try await harness.say("the last", in: rooms[4])
                try await client.until("the last") { record in
                    record.events.contains { $0.body["message"]?["content"]?.string == "the last" }
                }
                #expect(
                    !client.record.events.contains {
                        $0.name == "message" && $0.body["room"]?.string == "channel-25"
                    })
            }
        }
    }

    @Test("R8: a start that was kept is read again if the user loses a room while its heads are read")
    func keptStart() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let other = try await harness.device(2, port: node.port)
                let heads: @Sendable () -> Int = { harness.peers.count("/internal/rooms/heads") }
                // Rooms that open ask for their heads as well.
                try await eventually("a kept start") {
                    let client = try await harness.device(1, port: node.port)
                    client.drop()
                    return try await !node.metrics().contains(#"maru_me_starts_total{source="kept"} 0"#)
                }
                harness.peers.change { $0.heldPaths = ["/internal/rooms/heads"] }
                let before = heads()
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1, "native"))])
                try client.join("/me")
                try await eventually("a call for heads") { heads() > before }
                harness.peers.change { _ = $0.channels[8]?.remove(1) }
                try await Self.publish(
                    [#"{"workspace_id":"3","channel_id":"8","user_id":"1"}"#], harness, until: [other])
                harness.peers.change { $0.heldPaths = [] }
                try await client.until("ready") { $0.events.contains { $0.name == "ready" } }
                #expect(Self.rooms(client).contains("channel-7") && !Self.rooms(client).contains("channel-8"))
            }
        }
    }

    @Test("A start is read again if the user's settings change meanwhile")
    func settings() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                // On both loops, so that the loop of the next socket has heard all hints that these have heard.
                var others: [SocketClient] = []
                for user in Int64(2)...5 { others.append(try await harness.device(user, port: node.port)) }
                harness.peers.change { $0.isHoldingStarts = true }
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1, "native"))])
                try client.join("/me")
                try await eventually("a start") { harness.peers.now.startedUsers.last == [1] }
                harness.peers.change { $0.settings[1] = #"{"presence":false}"# }
                try await Self.publish(
                    [#"{"user_id":"1","part":"settings","session":"9"}"#], on: "user-state", harness, until: others)
                harness.peers.change { $0.isHoldingStarts = false }
                try await client.until("ready") { $0.events.contains { $0.name == "ready" } }
                // The start that was held is from before the change.
                let ready = client.record.events.first { $0.name == "ready" }
                #expect(ready?.body["settings"]?["presence"]?.bool == false)
            }
        }
    }

    @Test("Changes in other workspaces ask for no presence again, and many in one's own ask few times")
    func rechecks() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let client = try await harness.device(1, port: node.port)
                try client.send(#"42/me,1["presence",{"users":["2"]}]"#)
                try await client.until("a state") { $0.events.contains { $0.name == "presence" } }
                let asked: @Sendable () -> Int = { harness.peers.count("/internal/acquaintances") }
                let before = asked()
                try await Self.publish(
                    Array(repeating: #"{"workspace_id":"99"}"#, count: 50), harness, until: [client])
                let held = ContinuousClock.now
                harness.peers.change { $0.heldPaths = ["/internal/acquaintances"] }
                try await Self.publish(
                    Array(repeating: #"{"workspace_id":"3"}"#, count: 50), harness, until: [client])
                harness.peers.change { $0.heldPaths = [] }
                harness.peers.change { _ = $0.workspace.remove(2) }
                try await Self.publish([#"{"workspace_id":"3","user_id":"2"}"#], harness, until: [client])
                try await eventually("the last question") { asked() >= before + 2 }
                // A call without an answer is sent again after a second and a half.
                let again = Int((ContinuousClock.now - held) / .seconds(1))
                #expect(asked() <= before + 3 + again)
            }
        }
    }

    @Test("Events about a member keep their order if the profile of the first one is answered late")
    func memberOrder() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let client = try await harness.device(1, port: node.port)
                harness.peers.change { $0.holdsNextProfile = true }
                let hints = [DirectoryHint.Change.entered, .gone].map { change in
                    let hint = DirectoryHint(change, of: WorkspaceID(3), .member(UserID(70), of: nil))
                    return String(decoding: hint.encoded(), as: UTF8.self)
                }
                try await Self.publish(hints, on: DirectoryHint.redisChannel, harness, until: [client])
                // A call without an answer is sent again.
                try await client.until("both events") { record in record.events.count { $0.name == "member" } == 2 }
                harness.peers.change { $0.heldCalls = [] }
                let told = client.record.events.filter { $0.name == "member" }.map { $0.body["type"]?.string }
                #expect(told == ["entered", "gone"])
            }
        }
    }

    @Test("A changed profile is sent although its first look-up fails")
    func profileAgain() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let client = try await harness.device(1, port: node.port)
                // Each look-up asks for the user's channels, and then for the profile.
                let lookUps: @Sendable () -> Int = { harness.peers.count("/internal/users/70/channels") }
                harness.peers.change { state in
                    state.channels[7]?.insert(70)
                    state.me.awayPaths = ["/internal/profiles"]
                }
                try await harness.redis.command(
                    "PUBLISH", ProfileVersion.redisChannel, #"{"user_id":"70","version":2}"#)
                try await eventually("another look-up") { lookUps() > 1 }
                harness.peers.change { $0.me.awayPaths = [] }
                try await client.until("the profile") { record in
                    record.events.contains { $0.name == "profile" && $0.body["nickname"]?.string == "n70" }
                }
            }
        }
    }

    @Test("A user that leaves a channel of one workspace still gets events of another one that they entered later")
    func otherWorkspace() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { state in
                state.channels[30] = []
                state.otherWorkspaces[30] = 4
            }
            try await harness.withNode { node in
                let client = try await harness.device(1, port: node.port)
                harness.peers.change { _ = $0.channels[30]?.insert(1) }
                try await harness.redis.command(
                    "PUBLISH", AccessHint.redisChannel, #"{"workspace_id":"4","user_id":"1"}"#)
                try await client.until("the new room") { record in
                    record.events.contains { $0.name == "joined" }
                }
                harness.peers.change { _ = $0.channels[8]?.remove(1) }
                try await harness.publish(.removed(room: RoomID(ChannelID(8)), after: 0, user: UserID(1)))
                try await harness.redis.command(
                    "PUBLISH", AccessHint.redisChannel, #"{"workspace_id":"3","channel_id":"8","user_id":"1"}"#)
                try await client.until("the loss of a room") { record in
                    record.events.contains { $0.name == "left" && $0.body["room"]?.string == "channel-8" }
                }
                let view = ChannelView(
                    workspace: WorkspaceID(4), id: ChannelID(30), name: "renamed", description: nil, image: nil,
                    owner: UserID(1), isPrivate: false, createdAt: .now)
                let hint = DirectoryHint(.edited, of: WorkspaceID(4), .channel(ChannelID(30), view))
                try await harness.redis.command(
                    "PUBLISH", DirectoryHint.redisChannel, String(decoding: hint.encoded(), as: UTF8.self))
                try await client.until("the new name") { record in
                    record.events.contains { $0.name == "room" && $0.body["name"]?.string == "renamed" }
                }
            }
        }
    }
}
