import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("A /me socket while workspaces are out of reach", .serialized)
struct UnavailableWorkspaceTests {
    /// A channel of the workspace 4, which has the user 1 and is out of reach in these tests.
    private static let room = RoomID(ChannelID(30))
    private static let other = RoomID(ChannelID(31))

    private static func use(
        losing lost: Set<Int64>, _ body: (GatewayHarness, ServiceUnderTest) async throws -> Void
    ) async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { state in
                for id: Int64 in 30...31 {
                    state.channels[id] = [1, 2]
                    state.otherWorkspaces[id] = 4
                }
                state.me.lostWorkspaces = lost
            }
            try await harness.withNode { node in try await body(harness, node) }
        }
    }

    /// Joins `/me`, and returns the rooms and the unavailable workspaces of `ready`.
    private static func join(
        _ harness: GatewayHarness, _ node: ServiceUnderTest, cursors: [RoomID] = []
    ) async throws -> (client: SocketClient, rooms: [String], unavailable: [String]?) {
        let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1, "native"))])
        let members = cursors.map { #""\#($0)":[0,0]"# }.joined(separator: ",")
        try client.join("/me", #"{"cursors":{\#(members)}}"#)
        try await client.until("ready") { $0.events.contains { $0.name == "ready" } }
        let ready = try #require(client.record.events.first { $0.name == "ready" }?.body)
        let rooms = ready["rooms"]?.array { $0["room"]?.string }
        return (client, rooms ?? [], ready["unavailable"]?.array(\.string))
    }

    private static func names(of room: RoomID, in record: SocketClient.Record) -> [String] {
        record.events.filter { $0.body["room"]?.string == "\(room)" }.map(\.name)
    }

    private static func hears(_ text: String, _ record: SocketClient.Record) -> Bool {
        record.events.contains { $0.body["message"]?["content"]?.string == text }
    }

    @Test("The socket starts with the other workspaces, and enters the rooms of the others when these are back")
    func returned() async throws {
        try await Self.use(losing: [4]) { harness, node in
            for room in [Self.room, Self.other] { try await harness.say("missed in \(room)", in: room) }
            let (client, rooms, unavailable) = try await Self.join(harness, node, cursors: [Self.room, Self.other])
            #expect(rooms == ["channel-7", "channel-8", "dm-5"] && unavailable == ["4"])
            try await harness.say("meanwhile")
            try await client.until("a message of another workspace") { Self.hears("meanwhile", $0) }
            // The user loses one of the two channels, and no event of it arrives. The next read of the rooms finds that.
            harness.peers.change { _ = $0.channels[31]?.remove(1) }
            try await client.until("the loss of a channel") { Self.names(of: Self.other, in: $0) == ["left"] }
            harness.peers.change { $0.me.lostWorkspaces = [] }
            try await client.until("what was missed") { Self.hears("missed in \(Self.room)", $0) }
            try await harness.say("since", in: Self.room)
            try await client.until("the next") { Self.hears("since", $0) }
            #expect(Self.names(of: Self.room, in: client.record) == ["joined", "message", "message"])
            #expect(Self.names(of: Self.other, in: client.record) == ["left"])
            #expect(client.record.events.count { $0.name == "ready" } == 1)
        }
    }

    @Test("A start without workspaces is not kept for a client that comes back")
    func kept() async throws {
        try await Self.use(losing: []) { harness, node in
            let reads: @Sendable () -> Int = { harness.peers.now.startedUsers.joined().count { $0 == 1 } }
            @Sendable func visit() async throws -> [String]? {
                let (client, _, unavailable) = try await Self.join(harness, node)
                client.drop()
                return unavailable
            }
            try await eventually("a kept start") {
                let before = reads()
                _ = try await visit()
                return reads() == before
            }
            // The kept start is from before the loss.
            harness.peers.change { $0.me.lostWorkspaces = [4] }
            try await harness.redis.command("INCR", "read-moves:1")
            #expect(try await visit() == ["4"])
            harness.peers.change { $0.me.lostWorkspaces = [] }
            #expect(try await visit() == nil)
        }
    }

    @Test("An open socket goes on with the rooms that are out of reach when it reads its rooms again")
    func open() async throws {
        try await Self.use(losing: []) { harness, node in
            harness.peers.change { _ = $0.channels[31]?.remove(1) }
            let (client, _, unavailable) = try await Self.join(harness, node)
            #expect(unavailable == nil)
            let checks = harness.peers.count("/internal/dms/access")
            harness.peers.change { state in
                state.me.lostWorkspaces = [3]
                state.channels[31]?.insert(1)
            }
            try await harness.redis.command(
                "PUBLISH", AccessHint.redisChannel, #"{"workspace_id":"4","user_id":"1"}"#)
            try await client.until("a new room") { Self.names(of: Self.other, in: $0).contains("joined") }
            for room in [GatewayHarness.channel, GatewayHarness.dm] {
                try await harness.say("still in \(room)", in: room)
                try await client.until("a message of \(room)") { Self.hears("still in \(room)", $0) }
            }
            #expect(!client.record.events.contains { $0.name == "left" })
            // Nobody could answer.
            #expect(harness.peers.count("/internal/dms/access") == checks)
        }
    }

    @Test("A DM that waited for its turn is not checked while it may be out of reach")
    func late() async throws {
        try await Self.use(losing: []) { harness, node in
            harness.peers.change { state in
                state.channels[32] = [1, 2]
                state.otherWorkspaces[32] = 4
                _ = state.channels[31]?.remove(1)
            }
            // Four are resumed at a time, and the DM is the last.
            let rooms = [Int64(7), 8, 30, 32].map { RoomID(ChannelID($0)) } + [GatewayHarness.dm]
            for room in rooms { try await harness.say("missed in \(room)", in: room) }
            let (client, _, unavailable) = try await Self.join(harness, node, cursors: rooms)
            #expect(unavailable == nil)
            try await client.until("what was missed") { record in
                rooms.allSatisfy { Self.hears("missed in \($0)", record) }
            }
            let checks = harness.peers.count("/internal/dms/access")
            harness.peers.change { state in
                state.me.lostWorkspaces = [3]
                state.channels[31]?.insert(1)
            }
            // The rooms are read again, and no access is checked for this alone.
            try await harness.redis.command(
                "PUBLISH", UserStateHint.redisChannel, #"{"user_id":"1","part":"settings","session":"9"}"#)
            try await client.until("a new room") { Self.names(of: Self.other, in: $0).contains("joined") }
            try await harness.say("still", in: GatewayHarness.dm)
            try await client.until("a message of the DM") { Self.hears("still", $0) }
            #expect(harness.peers.count("/internal/dms/access") == checks)
        }
    }

    @Test("A read marker that moved while its room was resumed is told although the room is out of reach for a while")
    func comparison() async throws {
        try await Self.use(losing: []) { harness, node in
            try await harness.say("missed", in: Self.room)
            let path = "/internal/rooms/\(Self.room)/messages"
            harness.peers.change { state in
                state.me.markers[Self.room] = 0
                state.heldPaths = [path]
            }
            let (client, _, unavailable) = try await Self.join(harness, node, cursors: [Self.room])
            #expect(unavailable == nil)
            // The event of the move has come before the socket was in the room.
            harness.peers.change { state in
                state.me.markers[Self.room] = 1
                state.me.lostWorkspaces = [4]
            }
            try await harness.redis.command("INCR", "read-moves:1")
            let reads: @Sendable () -> Int = { harness.peers.now.startedUsers.joined().count { $0 == 1 } }
            let before = reads()
            harness.peers.change { $0.heldPaths = [] }
            try await eventually("a start without the room") { reads() > before }
            harness.peers.change { $0.me.lostWorkspaces = [] }
            try await client.until("the marker") { record in
                record.events.contains { $0.name == "read" && $0.body["room"]?.string == "\(Self.room)" }
            }
        }
    }

    @Test("A call about a room that may be out of reach is not refused as one about a room that the user is not in")
    func typing() async throws {
        try await Self.use(losing: [4]) { harness, node in
            let client = try await PollingClient.open(port: node.port, token: harness.token(1, "native"))
            _ = try await client.post("40/me,", port: node.port)
            _ = try await client.poll(until: #"["ready""#, ports: [node.port])
            _ = try await client.post(#"42/me,1["typing",{"room":"\#(Self.room)"}]"#, port: node.port)
            let answer = try await client.poll(until: "43/me,1[", ports: [node.port])
            #expect(answer.contains(#""errorCode":"E99""#))
        }
    }

    @Test("A socket that leaves a room still hears of the workspaces that it lacks")
    func directory() async throws {
        try await Self.use(losing: [4]) { harness, node in
            let (client, _, unavailable) = try await Self.join(harness, node)
            #expect(unavailable == ["4"])
            harness.peers.change { _ = $0.channels[8]?.remove(1) }
            try await harness.redis.command(
                "PUBLISH", AccessHint.redisChannel, #"{"workspace_id":"3","channel_id":"8","user_id":"1"}"#)
            try await client.until("the loss of a room") { record in
                record.events.contains { $0.name == "left" && $0.body["room"]?.string == "channel-8" }
            }
            let hint = DirectoryHint(.edited, of: WorkspaceID(4), .workspace(nil))
            try await harness.redis.command(
                "PUBLISH", DirectoryHint.redisChannel, String(decoding: hint.encoded(), as: UTF8.self))
            try await client.until("a change of the workspace") { record in
                record.events.contains { $0.name == "workspace" && $0.body["workspace_id"]?.string == "4" }
            }
        }
    }
}
