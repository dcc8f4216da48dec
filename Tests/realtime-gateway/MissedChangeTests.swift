import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Missed changes and history", .serialized)
struct MissedChangeTests {
    private static let rooms = (Int64(20)..<60).map { RoomID(ChannelID($0)) }
    /// Changed messages of each room. One more message has not changed.
    private static let count = 7

    /// A change that leaves the message as it is.
    private static func change(_ message: RoomMessage, rev: Int64) -> RoomChange {
        let body = message.body
        return RoomChange(
            RoomMessage(
                room: message.room, workspace: message.workspace, name: message.name,
                body: MessageBody(
                    id: body.id, seq: body.seq, content: body.content, createdAt: body.createdAt, files: [],
                    author: body.author, revision: MessageRevision(rev: rev)),
                session: message.session))
    }

    /// Writes messages as long as they may be, and changes them.
    private static func write(_ harness: GatewayHarness) {
        let text = String(repeating: "가", count: 10_000)
        harness.peers.change { state in
            for room in rooms {
                state.channels[room.rawValue] = Set(1...5)
                for number in 1...count {
                    let message = state.write(text, in: room, by: 60, session: 1060)
                    state.changes[room, default: []].append(change(message, rev: Int64(number)))
                }
            }
        }
    }

    /// Waits until bytes wait in a socket of a node.
    private static func untilFull(_ node: ServiceUnderTest) async throws {
        try await eventually(within: .seconds(60), "a full socket") {
            let name = "maru_socket_queue_bytes "
            let line = try await node.metrics().split(separator: "\n").first { $0.hasPrefix(name) }
            return line.flatMap { Double($0.dropFirst(name.count)) } ?? 0 > 0
        }
    }

    @Test("A device that missed long changes in many rooms is sent them all, and is not cut off while it reads")
    func manyRooms() async throws {
        try await GatewayHarness.use { harness in
            Self.write(harness)
            let settings = ["ping_interval": "50s", "ping_timeout": "50s", "reader_patience": "50s"]
            try await harness.withNode(settings) { node in
                // On both loops, so that all rooms are open there and the device enters them at once.
                var others: [SocketClient] = []
                for user in Int64(2)...5 { others.append(try await harness.device(user, port: node.port)) }
                for room in Self.rooms { try await harness.say("the last", in: room) }
                for other in others {
                    try await other.until("a message of each room") { record in
                        record.events.filter { $0.name == "message" }.count == Self.rooms.count
                    }
                }
                let cursors = Self.rooms.map { #""\#($0)":[\#(Self.count + 1),0]"# }.joined(separator: ",")
                let client = try SocketClient(
                    port: node.port, headers: [("Authorization", harness.token(1, "native"))], isReading: false)
                try client.join("/me", #"{"cursors":{\#(cursors)}}"#)
                try await Self.untilFull(node)
                client.startReading()
                try await client.until(within: .seconds(120), "all changes") { record in
                    let changed = record.events.filter { $0.name == "changed" }
                    return record.isEnded || changed.count >= Self.rooms.count * Self.count
                }
                let record = client.record
                #expect(!record.isEnded)
                for room in Self.rooms {
                    let changed = record.events.filter {
                        $0.name == "changed" && $0.body["room"]?.string == room.description
                    }
                    let seqs = changed.compactMap { $0.body["message"]?["seq"]?.int }
                    #expect(seqs == Array(1...Self.count), "\(room)")
                }
            }
        }
    }

    @Test("A device that asks for the history of many rooms at once is sent it all, and is not cut off while it reads")
    func manyHistories() async throws {
        try await GatewayHarness.use { harness in
            let settings = ["ping_interval": "50s", "ping_timeout": "50s", "reader_patience": "50s"]
            try await harness.withNode(settings) { node in
                let client = try SocketClient(
                    port: node.port, headers: [("Authorization", harness.token(1, "native"))], isReading: false)
                try client.join("/me")
                try await eventually("a start") { harness.peers.now.startedUsers.last == [1] }
                // More than the kernel takes for a connection.
                for id in 1...64 { try client.send(#"42/me,\#(id)["history",{"room":"channel-7"}]"#) }
                try await Self.untilFull(node)
                client.startReading()
                try await client.until(within: .seconds(120), "all pages") { record in
                    record.isEnded || record.acknowledged.count == 64
                }
                #expect(client.record.acknowledged.count == 64)
            }
        }
    }
}
