import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Blocked authors on sockets", .serialized)
struct BlockTests {
    private static let channel = GatewayHarness.channel
    private static let text = "차단한 사용자의 메시지입니다."

    private static func me(_ user: Int64, _ harness: GatewayHarness, _ port: UInt16, _ cursors: String = "{}")
        async throws -> SocketClient
    {
        let client = try SocketClient(port: port, headers: [("Authorization", harness.token(user, "native"))])
        try client.join("/me", #"{"cursors":\#(cursors)}"#)
        try await client.until("ready") { $0.events.contains { $0.name == "ready" } }
        return client
    }

    private static func messages(_ record: SocketClient.Record, _ name: String = "message") -> [JSONValue] {
        record.events.filter { $0.name == name }.compactMap { $0.body["message"] }
    }

    @Test("A17: the sockets of a blocker are sent the author's message without content, in every form")
    func forms() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                harness.peers.change { $0.blocked = [1: [60], 3: [60]] }
                let namespace = Namespace.name(of: Self.channel)
                let shipped = try await harness.listener(1, port: node.port)
                let first = try await harness.listener(3, "sooda", port: node.port)
                let other = try await harness.listener(2, port: node.port)
                let (me, otherMe) = (
                    try await Self.me(1, harness, node.port), try await Self.me(2, harness, node.port)
                )
                try await harness.say("secret")
                try await harness.say("open", by: 59)
                for client in [shipped, first] {
                    try await client.until("both") { $0.texts(namespace).count == 2 }
                    #expect(client.record.texts(namespace) == [Self.text, "open"])
                }
                try await other.until("both") { $0.texts(namespace) == ["secret", "open"] }
                try await me.until("both") { Self.messages($0).count == 2 }
                let hidden = Self.messages(me.record)[0]
                #expect(hidden["content"]?.string == "")
                #expect(hidden["blocked"]?.bool == true)
                #expect(hidden["seq"]?.int == 1)
                #expect(Self.messages(me.record)[1]["blocked"] == nil)
                try await otherMe.until("both") { Self.messages($0).count == 2 }
                #expect(Self.messages(otherMe.record).map { $0["content"]?.string } == ["secret", "open"])
                // Missed messages and changes are hidden as well.
                let late = try await Self.me(1, harness, node.port, #"{"channel-7":[0,0]}"#)
                try await late.until("missed ones") { Self.messages($0).count == 2 }
                #expect(Self.messages(late.record).map { $0["content"]?.string } == ["", "open"])
                let message = try #require(harness.peers.now.messages[Self.channel]?.first)
                let body = MessageBody(
                    id: message.body.id, seq: 1, content: "edited", createdAt: .now, files: [],
                    author: message.body.author, revision: MessageRevision(rev: 1, editedAt: .now))
                try await harness.publish(
                    .changed(
                        RoomChange(
                            RoomMessage(
                                room: Self.channel, workspace: message.workspace, name: message.name, body: body,
                                session: message.session))))
                try await otherMe.until("the change") { !Self.messages($0, "changed").isEmpty }
                #expect(Self.messages(otherMe.record, "changed")[0]["content"]?.string == "edited")
                try await me.until("the change") { !Self.messages($0, "changed").isEmpty }
                #expect(Self.messages(me.record, "changed")[0]["content"]?.string == "")
                #expect(Self.messages(me.record, "changed")[0]["blocked"]?.bool == true)
            }
        }
    }

    @Test("A17: a block counts for open sockets at once, and its end as well")
    func changes() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                let namespace = Namespace.name(of: Self.channel)
                let client = try await harness.listener(1, port: node.port)
                try await harness.say("1")
                try await client.until("the first") { $0.texts(namespace) == ["1"] }
                let block: Set<Int64> = [60]
                for (blocked, shown) in [(block, Self.text), ([], "again")] {
                    harness.peers.change { $0.blocked = [1: blocked] }
                    try await harness.redis.command(
                        "PUBLISH", "invalidate:blocks", #"{"user_id":"1","blocked":"60"}"#)
                    try await eventually("the change of the block") {
                        try await harness.say("again")
                        return client.record.texts(namespace).last == shown
                    }
                }
            }
        }
    }

    /// The users of the events `typing`.
    private static func typists(_ record: SocketClient.Record) -> [String?] {
        record.events.filter { $0.name == "typing" }.map { $0.body["user_id"]?.string }
    }

    @Test("A17: neither of the two sees the other one typing")
    func typing() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                harness.peers.change { $0.blocked = [1: [2]] }
                let clients = [
                    try await Self.me(1, harness, node.port), try await Self.me(2, harness, node.port),
                    try await Self.me(3, harness, node.port),
                ]
                // Typing is told to live sockets alone, and after a message they are live.
                try await harness.say("live")
                for client in clients { try await client.until("a message") { !Self.messages($0, "message").isEmpty } }
                // A later event shows that the earlier ones have been told.
                for user in [2, 1, 4] as [Int64] {
                    try await harness.publish(.typing(room: Self.channel, user: UserID(user), thread: nil))
                }
                for client in clients { try await client.until("the last") { Self.typists($0).last == "4" } }
                #expect(clients.map { Self.typists($0.record) } == [["4"], ["4"], ["2", "1", "4"]])
            }
        }
    }

    @Test("While auth-service does not answer, sockets are let in and receive messages")
    func outage() async throws {
        try await GatewayHarness.use { harness in
            try await harness.withNode { node in
                harness.peers.change { $0.blocksAway = true }
                let client = try await harness.listener(1, port: node.port)
                try await harness.say("1")
                try await client.until("a message") { $0.texts(Namespace.name(of: Self.channel)) == ["1"] }
                harness.peers.change {
                    $0.blocked = [1: [60]]
                    $0.blocksAway = false
                }
                try await eventually("the blocks") {
                    try await harness.say("2")
                    return client.record.texts(Namespace.name(of: Self.channel)).last == Self.text
                }
            }
        }
    }
}
