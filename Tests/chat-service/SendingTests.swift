import Contract
import Postgres
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Sending", .serialized)
struct SendingTests {
    private static let lock = Statement.write("lock outbox", "lock table outbox in exclusive mode")

    /// Hides outbox rows from the relay, so that only the writer publishes them. On a busy machine the relay would
    /// publish messages again that the writer has not marked in time.
    private static func stopRelay(_ chat: ChatHarness) async throws {
        try await chat.database.database.run(
            sql: "alter table chat.outbox alter column created_at set default 99999999999999")
    }

    @Test(
        "Concurrent and later repeats with one client_id are one message, one event and one push on two instances"
    )
    func oneMessage() async throws {
        try await ChatHarness.use(instances: 2) { chat in
            try await Self.stopRelay(chat)
            let listener = try RoomEventListener(chat.redis)
            let replies = try await withThrowingTaskGroup(of: HTTPCall.Reply.self) { group in
                for turn in 0..<16 {
                    group.addTask { try await chat.send("hello", clientID: "x", on: turn % 2) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let later = try await chat.send("hello", clientID: "x", on: 1)
            let ids = Set(try (replies + [later]).map { try $0.json["chat_id"]?.string ?? $0.text })
            #expect(ids.count == 1)
            for reply in replies + [later] { #expect(reply.status == 201, "\(reply.text)") }
            let other = try await chat.send("other", clientID: "x")
            #expect(other.status == 409)
            #expect(other.errorCode == "E11")
            let someone = try await chat.send("hello", user: 2, clientID: "x")
            #expect(try someone.json["seq"]?.int == 2)
            try await chat.untilPublished()
            let count = try await chat.database.ask("select count(*) from chat.message")
            #expect(count == "2")
            let events = try await listener.events()
            #expect(events.map { $0["seq"]?.int } == [1, 2])
            #expect(events[0]["client_id"]?.string == "x")
            #expect(events[0]["room"]?.string == "channel-7")
            let pushes = try await chat.pushes()
            #expect(pushes == ["channel-7:1", "channel-7:2"])
        }
    }

    @Test("A content of 10,000 characters is accepted and published, with any characters and escapes")
    func longest() async throws {
        try await ChatHarness.use { chat in
            try await Self.stopRelay(chat)
            let listener = try RoomEventListener(chat.redis)
            let path = "/v1/workspaces/3/channels/7/chats"
            let texts = ["🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👨‍👩‍👧‍👦"].map { String(repeating: $0, count: 10_000) }
            for text in texts {
                let escaped = text.utf16.map { "\\u" + String($0, radix: 16).leftPadded(to: 4) }.joined()
                for json in [text, escaped] {
                    let sent = try await chat.call("POST", path, json: #"{"content":"\#(json)"}"#)
                    #expect(sent.status == 201)
                    #expect(try sent.json["content"]?.string == text)
                }
                let form = try await chat.call(
                    "POST", path, headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
                    body: Upload.form([], [("content", text)]))
                #expect(form.status == 201)
            }
            let all = texts.flatMap { [$0, $0, $0] }
            #expect(try await listener.events { $0.count >= 6 }.map { $0["content"]?.string ?? "" } == all)
            #expect(try await chat.history().map { $0["content"]?.string ?? "" } == all)
        }
    }

    @Test("The Idempotency-Key header works like client_id")
    func header() async throws {
        try await ChatHarness.use { chat in
            var seen: Set<String> = []
            for _ in 0..<2 {
                let reply = try await chat.call(
                    "POST", "/v1/workspaces/3/channels/7/chats", json: #"{"content":"a"}"#,
                    headers: [("Idempotency-Key", "k")])
                seen.insert(try reply.json["chat_id"]?.string ?? reply.text)
            }
            #expect(seen.count == 1)
        }
    }

    @Test("A refused message uses no seq")
    func refusals() async throws {
        try await ChatHarness.use { chat in
            let path = "/v1/workspaces/3/channels/7/chats"
            for json in [#"{}"#, #"{"content":""}"#, #"{"content":7}"#, "{\"content\":\"a\\u0000b\"}"] {
                let reply = try await chat.call("POST", path, json: json)
                #expect(reply.errorCode == "E11", "\(json): \(reply.text)")
            }
            let stranger = try await chat.send("hi", user: 5)
            #expect(stranger.errorCode == "E13")
            let elsewhere = try await chat.call(
                "POST", "/v1/workspaces/4/channels/7/chats", json: #"{"content":"a"}"#)
            #expect(elsewhere.errorCode == "E13")
            let good = try await chat.send("good")
            #expect(try good.json["seq"]?.int == 1)
        }
    }

    @Test("The relay publishes a message if its writer crashed after the commit, and never one that was rolled back")
    func relayed() async throws {
        try await ChatHarness.use { chat in
            let listener = try RoomEventListener(chat.redis)
            // Committed directly, so that nothing publishes it.
            _ = try await chat.database.write([.sample("orphan"), .sample("another")])
            try await chat.database.database.run(
                sql: "alter table chat.message add constraint planted check (content <> 'bad')")
            _ = try? await chat.database.write([.sample("bad")])
            try await chat.untilPublished()
            let events = try await listener.events()
            // They are published again if they are marked too late.
            #expect(events.map { $0["content"]?.string }.withoutRepeats == ["orphan", "another"])
            #expect(events[0]["author"]?["nickname"]?.string == "n1")
            #expect(events[0]["name"]?.string == "general")
            let pushes = try await chat.pushes().withoutRepeats
            #expect(pushes == ["channel-7:1", "channel-7:2"])
        }
    }

    @Test("The writer publishes a message right after its commit, without the relay")
    func published() async throws {
        try await ChatHarness.use { chat in
            try await Self.stopRelay(chat)
            let listener = try RoomEventListener(chat.redis)
            _ = try await chat.send("one")
            _ = try await chat.send("two")
            let events = try await listener.events { $0.count >= 2 }
            #expect(events.map { $0["content"]?.string } == ["one", "two"])
            try await chat.untilPublished()
            let pushes = try await chat.pushes()
            #expect(pushes == ["channel-7:1", "channel-7:2"])
        }
    }

    @Test("Without Redis, sends commit and history works; the messages are published once Redis is back")
    func withoutRedis() async throws {
        try await ChatHarness.use { chat in
            let before = try await chat.send("before")
            #expect(before.status == 201)
            try await chat.untilPublished()
            await chat.redis.kill()
            for number in 1...5 {
                let reply = try await chat.send("down \(number)", clientID: "d\(number)")
                #expect(reply.status == 201, "\(reply.text)")
            }
            let again = try await chat.send("down 1", clientID: "d1")
            #expect(try again.json["seq"]?.int == 2)
            let history = try await chat.history()
            #expect(history.map { $0["seq"]?.int } == [1, 2, 3, 4, 5, 6])
            // The lock delays publishing until the listener has subscribed.
            let listener = try await chat.database.run { pool in
                try await pool.transaction { tx -> RoomEventListener in
                    try await tx.execute(.waitForLong)
                    try await tx.query(Self.lock)
                    try await chat.redis.start()
                    return try RoomEventListener(chat.redis)
                }
            }
            try await chat.untilPublished()
            // Redis may have stopped before it was asked again for the first message, which is then published twice, as are all
            // others if the replies to the relay come too late.
            let pushes = try await chat.pushes()
            let all = (1...6).map { "channel-7:\($0)" }
            #expect(pushes.withoutRepeats == all && pushes.count <= 2 * all.count, "\(pushes)")
            let events = try await listener.events()
            // A message that was being published when Redis came back may come first, and again with the others.
            #expect(Set(events.compactMap { $0["seq"]?.int }).subtracting([1]) == [2, 3, 4, 5, 6])
        }
    }

    @Test("A large backlog written without Redis is published once and in order when Redis is back")
    func muchWithoutRedis() async throws {
        try await ChatHarness.use { chat in
            await chat.redis.kill()
            let rooms = (1...4).map { RoomID(ChannelID($0)) }
            for turn in 0..<100 {
                // Later times, so that no room is overloaded.
                let result = try await chat.database.write(
                    (0..<200).map { .sample(room: rooms[$0 % 4]) }, at: .now + .seconds(turn))
                #expect(result.outcomes.allSatisfy { if case .written = $0 { true } else { false } })
            }
            try await chat.redis.start()
            try await chat.untilPublished(within: .seconds(180))
            // A slice is published again if its replies come too late, as on a machine that stands still.
            let all = try await chat.pushes()
            let pushes = all.withoutRepeats
            #expect(pushes.count == 20_000 && all.count < 22_000)
            for room in rooms {
                let isInOrder = pushes.filter { $0.hasPrefix("\(room):") } == (1...5000).map { "\(room):\($0)" }
                #expect(isInOrder, "\(room)")
            }
        }
    }

    @Test("A rejected message fails alone; the other messages of its batch are written")
    func oneBad() async throws {
        try await ChatHarness.use { chat in
            try await chat.database.database.run(
                sql: "alter table chat.message add constraint planted check (content <> 'bad')")
            let statuses = try await withThrowingTaskGroup(of: (String, Int).self) { group in
                for turn in 0..<40 {
                    let text = turn % 8 == 3 ? "bad" : "good"
                    group.addTask { (text, try await chat.send(text, user: Int64(turn % 4 + 1)).status) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0.0 == "bad" ? $0.1 == 500 : $0.1 == 201 })
            let counts = try await chat.database.ask("select count(*), min(seq), max(seq) from chat.message")
            #expect(counts == "35|1|35")
        }
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}
