import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Users with very many rooms, or rooms that cannot be read", .serialized)
struct ManyRoomsTests {
    /// With it, three rooms need more than the output limit of a connection.
    private static let padding = 400 * 1024
    /// No heartbeat is sent meanwhile.
    private static let settings = ["ping_interval": "50s", "ping_timeout": "50s"]

    @Test("ready reaches a WebSocket even if it is larger than the output limit, and so does a message after it")
    func webSocket() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { $0.me.padding = Self.padding }
            try await harness.withNode(Self.settings) { node in
                let client = try await harness.device(1, port: node.port)
                try await harness.say("later")
                try await client.until("the message") { $0.events.contains { $0.name == "message" } }
                #expect(client.record.events.first?.body["rooms"]?.elements.map(Array.init)?.count == 3)
                #expect(!client.record.isEnded)
            }
        }
    }

    @Test("ready waits for a poll even if it is larger than the output limit")
    func polling() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { $0.me.padding = Self.padding }
            try await harness.withNode(Self.settings) { node in
                let client = try await PollingClient.open(port: node.port, token: harness.token(1, "native"))
                #expect(try await client.post("40/me,", port: node.port).status == 200)
                try await eventually("a start") {
                    try await node.metrics().contains(#"maru_me_starts_total{source="read"} 1"#)
                }
                let answer = try await client.poll(until: #"["ready""#, ports: [node.port])
                #expect(answer.utf8.count > 3 * Self.padding)
            }
        }
    }

    /// Cursors of a thousand rooms, longer than a message of other clients may be.
    private static let cursors: String = {
        let others = (1000..<2000).map { #""channel-\#($0)":[0,0]"# }
        return ([#""channel-7":[0,0]"#] + others).joined(separator: ",")
    }()

    @Test("A client with the cursors of a thousand rooms is let in over a WebSocket, and is sent the missed messages")
    func manyCursors() async throws {
        try await GatewayHarness.use { harness in
            try await harness.say("missed")
            try await harness.withNode(Self.settings) { node in
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1, "native"))])
                try client.join("/me", #"{"cursors":{\#(Self.cursors)}}"#)
                try await client.until("the missed message, or its end") { Self.texts($0) == ["missed"] || $0.isEnded }
                #expect(!client.record.isEnded)
            }
        }
    }

    @Test("A client with the cursors of a thousand rooms is let in by long-polling")
    func manyCursorsByPolling() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode(Self.settings) { node in
                let client = try await PollingClient.open(port: node.port, token: harness.token(1, "native"))
                let reply = try await client.post(#"40/me,{"cursors":{\#(Self.cursors)}}"#, port: node.port)
                try #require(reply.status == 200)
                _ = try await client.poll(until: #"["ready""#, ports: [node.port])
            }
        }
    }

    @Test("Rooms that cannot be read do not hold up others, and are sent once they can be read")
    func awayRooms() async throws {
        try await GatewayHarness.use { harness in
            let away = (Int64(20)...24).map { RoomID(ChannelID($0)) }
            let all = away + [RoomID(ChannelID(30))]
            harness.peers.change { state in
                for room in all { state.channels[room.rawValue] = [1] }
                state.me.awayPaths = Set(away.map { "/internal/rooms/\($0)/messages" })
            }
            for room in all { try await harness.say("missed in \(room)", in: room) }
            try await harness.withNode { node in
                let cursors = all.map { #""\#($0)":[0,0]"# }.joined(separator: ",")
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1, "native"))])
                try client.join("/me", #"{"cursors":{\#(cursors)}}"#)
                try await client.until("the room that can be read") {
                    Self.texts($0) == ["missed in channel-30"]
                }
                harness.peers.change { $0.me.awayPaths = [] }
                try await client.until("the other rooms") { Self.texts($0).count >= all.count }
                #expect(Self.texts(client.record).sorted() == all.map { "missed in \($0)" }.sorted())
            }
        }
    }

    @Test("A badge has the messages that came while their room could not be read")
    func badge() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { $0.me.awayPaths = ["/internal/rooms/\(GatewayHarness.channel)/messages"] }
            try await harness.say("missed")
            try await harness.withNode { node in
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1, "native"))])
                try client.join("/me", #"{"cursors":{"channel-7":[0,0]}}"#)
                try await client.until("the badge of the start") { Self.badges($0) == [0] }
                // Between two attempts to read the room, nobody hears its events.
                try await harness.say("missed as well", isHeard: false)
                harness.peers.change { state in
                    state.badges[1] = 1
                    state.me.awayPaths = []
                }
                try await client.until("the next badge") { Self.badges($0) == [0, 1] }
                #expect(Self.texts(client.record) == ["missed", "missed as well"])
            }
        }
    }

    private static func badges(_ record: SocketClient.Record) -> [Int?] {
        record.events.filter { $0.name == "badge" }.map { $0.body["unreadCount"]?.int }
    }

    @Test("A room with short pages is sent although the socket leaves it after each page that is too long")
    func shortPages() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { $0.me.largestPage = 12 }
            let all = (1...30).map { "missed \($0)" }
            for text in all { try await harness.say(text, isHeard: false) }
            try await harness.withNode { node in
                let client = try SocketClient(port: node.port, headers: [("Authorization", harness.token(1, "native"))])
                try client.join("/me", #"{"cursors":{"channel-7":[0,0]}}"#)
                try await client.until("all messages") { Self.texts($0).count >= all.count }
                #expect(Self.texts(client.record) == all)
            }
        }
    }

    private static func texts(_ record: SocketClient.Record) -> [String] {
        record.events.filter { $0.name == "message" }.compactMap { $0.body["message"]?["content"]?.string }
    }
}
