import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Typing and read markers on /me sockets", .serialized)
struct MeEphemeralTests {
    private static let (quiet, busy) = (RoomID(ChannelID(7)), RoomID(ChannelID(8)))

    private static func events(_ name: String, _ record: SocketClient.Record) -> [JSONValue] {
        record.events.filter { $0.name == name }.map(\.body)
    }

    private static func typists(_ record: SocketClient.Record) -> [String?] {
        events("typing", record).map { $0["user_id"]?.string }
    }

    /// Whether a client was sent a message with this text.
    private static func hasHeard(_ text: String, _ record: SocketClient.Record) -> Bool {
        events("message", record).contains { $0["message"]?["content"]?.string == text }
    }

    private static func settings(typing: Bool, presence: Bool) -> String {
        #"{"readReceipts":true,"presence":\#(presence),"typing":\#(typing),"keywords":[]}"#
    }

    @Test("Typing of a user that does not share it is not told, until another device of the user changes that")
    func shared() async throws {
        try await GatewayHarness.use { harness in
            harness.peers.change { $0.settings[2] = Self.settings(typing: false, presence: true) }
            try await harness.withNode { node in
                let reader = try await harness.device(1, port: node.port)
                let typist = try await harness.device(2, port: node.port)
                let other = try await harness.device(3, port: node.port)
                // Typing is told to live sockets alone, and after a message they are live.
                try await harness.say("live")
                for client in [reader, typist, other] {
                    try await client.until("a message") { Self.hasHeard("live", $0) }
                }
                try reader.send(#"42/me,1["presence",{"users":["2"]}]"#)
                try await reader.until("the state") { !Self.events("presence", $0).isEmpty }
                try typist.send(#"42/me,1["typing",{"room":"channel-7"}]"#)
                try await typist.until("the answer") { $0.acknowledged.contains(1) }
                try other.send(#"42/me,1["typing",{"room":"channel-7","thread":1}]"#)
                try await reader.until("the other one") { !Self.typists($0).isEmpty }
                #expect(Self.typists(reader.record) == ["3"])
                #expect(Self.events("typing", reader.record)[0]["thread"]?.int == 1)
                // The new state shows that the gateway knows the new settings.
                harness.peers.change { $0.settings[2] = Self.settings(typing: true, presence: false) }
                try await harness.redis.command(
                    "PUBLISH", "user-state", #"{"user_id":"2","part":"settings","session":"9"}"#)
                try await reader.until("the new settings") {
                    Self.events("presence", $0).last?["users"]?["2"]?.string == "offline"
                }
                // The typist's own socket may hear of them a moment later.
                try await eventually("the typist") {
                    try typist.send(#"42/me,2["typing",{"room":"channel-7"}]"#)
                    try await pause(for: .milliseconds(200))
                    return Self.typists(reader.record).count > 1
                }
                #expect(Set(Self.typists(reader.record).dropFirst()) == ["2"])
                #expect(Self.events("typing", reader.record)[1]["thread"] == nil)
            }
        }
    }

    @Test("A moved read marker is told to the member's devices with counts, and to those that share theirs without")
    func reads() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                var clients: [SocketClient] = []
                for user in [1, 2, 3] as [Int64] { clients.append(try await harness.device(user, port: node.port)) }
                try await harness.say("live")
                for client in clients { try await client.until("a message") { Self.hasHeard("live", $0) } }
                for (seq, audience) in [(1, .members(except: [UserID(3)])), (2, .nobody)]
                    as [(Int64, RoomRead.Audience)]
                {
                    let read = RoomRead(
                        room: Self.quiet, user: UserID(1), seq: seq, unread: 7, mentions: 5, audience: audience)
                    try await harness.publish(.read(read))
                }
                // It is told after them.
                try await harness.publish(.typing(room: Self.quiet, user: UserID(4), thread: nil))
                for client in clients { try await client.until("typing") { !Self.typists($0).isEmpty } }
                let told = clients.map { client in
                    Self.events("read", client.record).map { [$0["seq"]?.int, $0["unreadCount"]?.int] }
                }
                #expect(told == [[[1, 7], [2, 7]], [[1, nil]], []])
                #expect(Self.events("read", clients[0].record)[0]["mentionCount"]?.int == 5)
                #expect(Self.events("read", clients[1].record)[0]["user_id"]?.string == "1")
            }
        }
    }

    @Test("A socket that reads slowly is not told of typing and read markers, and loses no message")
    func slow() async throws {
        try await GatewayHarness.use { harness in
            // On one loop the sockets of a room hear an event in the same turn.
            let node = try await harness.startProcess(
                ["loops": "1", "ping_interval": "50s", "ping_timeout": "50s", "reader_patience": "50s"])
            let neighbour = try await harness.device(3, port: node.port)
            for room in [Self.quiet, Self.busy] { try await harness.say("live in \(room)", in: room) }
            try await neighbour.until("both") { record in
                [Self.quiet, Self.busy].allSatisfy { Self.hasHeard("live in \($0)", record) }
            }
            let slow = try SocketClient(
                port: node.port, headers: [("Authorization", harness.token(2, "native"))], isReading: false)
            try slow.join("/me")
            try neighbour.send(#"42/me,1["presence",{"users":["2"]}]"#)
            try await neighbour.until("the start of the slow one") {
                Self.events("presence", $0).last?["users"]?["2"]?.string == "online"
            }
            // The kernel takes many of them for a connection.
            let large = String(repeating: "x", count: 100_000)
            for number in 1...200 { try await harness.say("\(number) \(large)", in: Self.busy) }
            try await neighbour.until("all of them") { Self.hasHeard("200 \(large)", $0) }
            try await eventually("a full socket") {
                let name = "maru_socket_queue_bytes "
                let page = try await HTTPCall.get(port: node.internalPort, "/metrics").text
                let line = page.split(separator: "\n").first { $0.hasPrefix(name) }
                return (line.flatMap { Double($0.dropFirst(name.count)) } ?? 0) > 0
            }
            try await harness.publish(.typing(room: Self.quiet, user: UserID(4), thread: nil))
            let read = RoomRead(
                room: Self.quiet, user: UserID(4), seq: 1, unread: 0, mentions: 0, audience: .members(except: []))
            try await harness.publish(.read(read))
            try await harness.say("after", in: Self.quiet)
            try await neighbour.until("the message after them") { Self.hasHeard("after", $0) }
            #expect(Self.typists(neighbour.record) == ["4"])
            #expect(Self.events("read", neighbour.record).count == 1)
            slow.startReading()
            try await slow.until("all messages") { Self.events("message", $0).count == 201 }
            #expect(Self.hasHeard("after", slow.record))
            #expect(Self.typists(slow.record).isEmpty)
            #expect(Self.events("read", slow.record).isEmpty)
            // It is told again once it has caught up.
            try await eventually("a later one") {
                try await harness.publish(.typing(room: Self.quiet, user: UserID(5), thread: nil))
                return Self.typists(slow.record).contains("5")
            }
            await node.stop()
        }
    }
}
