import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Read markers while a /me socket starts or catches up", .serialized)
struct ResumedReadTests {
    @Test("A device that catches up gets the read marker that another device has moved meanwhile")
    func moved() async throws {
        try await GatewayHarness.use { harness in
            let room = GatewayHarness.channel
            try await harness.say("missed")
            harness.peers.change { state in
                state.me.markers[room] = 0
                state.heldPaths = ["/internal/rooms/\(room)/messages"]
            }
            try await harness.withNode { node in
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1, "native"))])
                try client.join("/me", #"{"cursors":{"\#(room)":[0,0]}}"#)
                try await client.until("ready") { $0.events.contains { $0.name == "ready" } }
                // chat-service counts the move. The event of it has come before the socket was in the room.
                harness.peers.change { $0.me.markers[room] = 1 }
                try await harness.redis.command("INCR", "read-moves:1")
                harness.peers.change { $0.heldPaths = [] }
                try await client.until("the marker") { Self.isRead(room, by: $0) }
            }
        }
    }

    @Test("A device gets the read marker that another device has moved while its start was read")
    func movedDuringStart() async throws {
        try await GatewayHarness.use { harness in
            let room = GatewayHarness.channel
            try await harness.say("unread")
            harness.peers.change { state in
                state.me.markers[room] = 0
                state.isHoldingStarts = true
            }
            try await harness.withNode { node in
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1, "native"))])
                try client.join("/me")
                try await eventually("a start") { harness.peers.now.startedUsers.last == [1] }
                // The event of the move comes before the socket is in the room.
                harness.peers.change { $0.me.markers[room] = 1 }
                try await harness.redis.command("INCR", "read-moves:1")
                harness.peers.change { $0.isHoldingStarts = false }
                // A call without an answer is sent again, and then the start has the marker.
                try await client.until("the marker") { Self.isRead(room, by: $0) || Self.marker(of: room, in: $0) == 1 }
            }
        }
    }

    @Test("Read markers of unread rooms that are entered at once are compared when the socket hears the last of them")
    func comparedOnceHeard() {
        let rooms = (Int64(1)...4).map { number in
            MeMachine.Room(
                id: RoomID(ChannelID(number)), workspace: WorkspaceID(3), head: RoomHead(seq: 10, rev: 3),
                unread: number == 4 ? 0 : 1)
        }
        var machine = MeMachine()
        _ = machine.start(rooms, from: MeCursors())
        let early = machine.accepted(rooms[0].id) + machine.accepted(rooms[3].id)
        #expect(early.isEmpty)
        // A room that was left is not waited for.
        _ = machine.putOut(rooms[1].id)
        let last = machine.accepted(rooms[2].id)
        #expect(last == [.compareReads(Dictionary(uniqueKeysWithValues: rooms.prefix(3).map { ($0.id, $0) }))])
        let repeated = machine.accepted(rooms[2].id)
        #expect(repeated.isEmpty)
    }

    /// Whether a client was told that all messages of a room are read.
    private static func isRead(_ room: RoomID, by record: SocketClient.Record) -> Bool {
        record.events.contains { event in
            event.name == "read" && event.body["room"]?.string == "\(room)" && event.body["seq"]?.int == 1
                && event.body["unreadCount"]?.int == 0
        }
    }

    /// The read marker of a room in a client's start.
    private static func marker(of room: RoomID, in record: SocketClient.Record) -> Int? {
        let ready = record.events.first { $0.name == "ready" }
        let found = ready?.body["rooms"]?.elements?.first { $0["room"]?.string == "\(room)" }
        return found?["lastReadSeq"]?.int
    }
}
