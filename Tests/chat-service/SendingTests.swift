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
    private static let wait = Statement.write("wait long", "set local idle_in_transaction_session_timeout = 0")

    /// Leaves the telling to who has written: for the relay nothing has been written yet. On a busy machine it would
    /// tell what was told too slowly once more.
    private static func stopRelay(_ house: ChatHouse) async throws {
        try await house.database.database.run(
            sql: "alter table chat.outbox alter column created_at set default 99999999999999")
    }

    @Test(
        "The same client_id and body is one message, one row, one event, one push, over two instances, at once and later"
    )
    func oneMessage() async throws {
        try await ChatHouse.use(instances: 2) { house in
            try await Self.stopRelay(house)
            let ear = try RoomEar(house.redis)
            let replies = try await withThrowingTaskGroup(of: HTTPCall.Reply.self) { group in
                for turn in 0..<16 {
                    group.addTask { try await house.send("hello", clientID: "x", on: turn % 2) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let later = try await house.send("hello", clientID: "x", on: 1)
            let ids = Set(try (replies + [later]).map { try $0.json["chat_id"]?.string ?? $0.text })
            #expect(ids.count == 1)
            for reply in replies + [later] { #expect(reply.status == 201, "\(reply.text)") }
            let other = try await house.send("other", clientID: "x")
            #expect(other.status == 409)
            #expect(other.errorCode == "E11")
            let someone = try await house.send("hello", user: 2, clientID: "x")
            #expect(try someone.json["seq"]?.int == 2)
            try await house.untilTold()
            let count = try await house.database.ask("select count(*) from chat.message")
            #expect(count == "2")
            let events = try await ear.heard()
            #expect(events.map { $0["seq"]?.int } == [1, 2])
            #expect(events[0]["client_id"]?.string == "x")
            #expect(events[0]["room"]?.string == "channel-7")
            let pushes = try await house.pushes()
            #expect(pushes == ["channel-7:1", "channel-7:2"])
        }
    }

    @Test("10,000 characters are taken, told and shown, whatever they are made of and however they are written")
    func longest() async throws {
        try await ChatHouse.use { house in
            try await Self.stopRelay(house)
            let ear = try RoomEar(house.redis)
            let path = "/v1/workspaces/3/channels/7/chats"
            let texts = ["🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👨‍👩‍👧‍👦"].map { String(repeating: $0, count: 10_000) }
            for text in texts {
                let escaped = text.utf16.map { "\\u" + String($0, radix: 16).leftPadded(to: 4) }.joined()
                for json in [text, escaped] {
                    let sent = try await house.call("POST", path, json: #"{"content":"\#(json)"}"#)
                    #expect(sent.status == 201)
                    #expect(try sent.json["content"]?.string == text)
                }
                let form = try await house.call(
                    "POST", path, headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
                    body: Upload.form([], [("content", text)]))
                #expect(form.status == 201)
            }
            let all = texts.flatMap { [$0, $0, $0] }
            #expect(try await ear.heard { $0.count >= 6 }.map { $0["content"]?.string ?? "" } == all)
            #expect(try await house.history().map { $0["content"]?.string ?? "" } == all)
        }
    }

    @Test("The header Idempotency-Key names a message as client_id does")
    func header() async throws {
        try await ChatHouse.use { house in
            var seen: Set<String> = []
            for _ in 0..<2 {
                let reply = try await house.call(
                    "POST", "/v1/workspaces/3/channels/7/chats", json: #"{"content":"a"}"#,
                    headers: [("Idempotency-Key", "k")])
                seen.insert(try reply.json["chat_id"]?.string ?? reply.text)
            }
            #expect(seen.count == 1)
        }
    }

    @Test("What must not be sent is refused and takes no seq")
    func refusals() async throws {
        try await ChatHouse.use { house in
            let path = "/v1/workspaces/3/channels/7/chats"
            for json in [#"{}"#, #"{"content":""}"#, #"{"content":7}"#, "{\"content\":\"a\\u0000b\"}"] {
                let reply = try await house.call("POST", path, json: json)
                #expect(reply.errorCode == "E11", "\(json): \(reply.text)")
            }
            let stranger = try await house.send("hi", user: 5)
            #expect(stranger.errorCode == "E13")
            let elsewhere = try await house.call(
                "POST", "/v1/workspaces/4/channels/7/chats", json: #"{"content":"a"}"#)
            #expect(elsewhere.errorCode == "E13")
            let good = try await house.send("good")
            #expect(try good.json["seq"]?.int == 1)
        }
    }

    @Test("A message whose writer died before it told of it is told by the relay; one rolled back never is")
    func relayed() async throws {
        try await ChatHouse.use { house in
            let ear = try RoomEar(house.redis)
            // Committed by someone who announces nothing.
            _ = try await house.database.write([.sample("orphan"), .sample("another")])
            try await house.database.database.run(
                sql: "alter table chat.message add constraint planted check (content <> 'bad')")
            _ = try? await house.database.write([.sample("bad")])
            try await house.untilTold()
            let events = try await ear.heard()
            #expect(events.map { $0["content"]?.string } == ["orphan", "another"])
            #expect(events[0]["author"]?["nickname"]?.string == "n1")
            #expect(events[0]["name"]?.string == "general")
            let pushes = try await house.pushes()
            #expect(pushes == ["channel-7:1", "channel-7:2"])
        }
    }

    @Test("A message is told by who has written it, as soon as it is committed: nobody waits for the relay")
    func told() async throws {
        try await ChatHouse.use { house in
            try await Self.stopRelay(house)
            let ear = try RoomEar(house.redis)
            _ = try await house.send("one")
            _ = try await house.send("two")
            let events = try await ear.heard { $0.count >= 2 }
            #expect(events.map { $0["content"]?.string } == ["one", "two"])
            try await house.untilTold()
            let pushes = try await house.pushes()
            #expect(pushes == ["channel-7:1", "channel-7:2"])
        }
    }

    @Test("A room whose clock has run far ahead sheds: E98 and when to come back, as the profile says it, nothing kept")
    func ahead() async throws {
        try await ChatHouse.use { house in
            let sent = try await house.send("one")
            #expect(sent.status == 201)
            try await house.database.database.run(sql: "update chat.room set last_at = last_at + 3600000")
            for (key, status) in [("native", 429), ("collatalk", 400)] {
                let reply = try await house.call(
                    "POST", "/v1/workspaces/3/channels/7/chats", key: key,
                    headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
                    body: Upload.form([.png], [("content", "two")]))
                #expect(reply.status == status)
                #expect(reply.errorCode == "E98")
                #expect(reply.headers["retry-after"] == "1")
            }
            #expect(house.storedFiles.isEmpty)
            let left = try await house.database.ask(
                "select (select count(*) from chat.message), last_seq, (select count(*) from chat.file) from chat.room")
            #expect(left == "1|1|0")
        }
    }

    @Test("Without Redis sends commit and history reads work; what happened is told when it is back")
    func withoutRedis() async throws {
        try await ChatHouse.use { house in
            let before = try await house.send("before")
            #expect(before.status == 201)
            try await house.untilTold()
            await house.redis.kill()
            for number in 1...5 {
                let reply = try await house.send("down \(number)", clientID: "d\(number)")
                #expect(reply.status == 201, "\(reply.text)")
            }
            let again = try await house.send("down 1", clientID: "d1")
            #expect(try again.json["seq"]?.int == 2)
            let history = try await house.history()
            #expect(history.map { $0["seq"]?.int } == [1, 2, 3, 4, 5, 6])
            // Nothing is told before somebody listens.
            let ear = try await house.database.run { pool in
                try await pool.transaction { tx -> RoomEar in
                    try await tx.query(Self.wait)
                    try await tx.query(Self.lock)
                    try await house.redis.start()
                    return try RoomEar(house.redis)
                }
            }
            try await house.untilTold()
            let pushes = try await house.pushes()
            #expect(pushes == (1...6).map { "channel-7:\($0)" })
            let events = try await ear.heard()
            #expect(events.compactMap { $0["seq"]?.int } == [2, 3, 4, 5, 6])
        }
    }

    @Test("However much was written without Redis, all of it is told when it is back: each message once, in order")
    func muchWithoutRedis() async throws {
        try await ChatHouse.use { house in
            await house.redis.kill()
            let rooms = (1...4).map { RoomID(ChannelID($0)) }
            for turn in 0..<100 {
                // Messages of a room are apart in time.
                let result = try await house.database.write(
                    (0..<200).map { .sample(room: rooms[$0 % 4]) }, at: .now + .seconds(turn))
                #expect(result.outcomes.allSatisfy { if case .written = $0 { true } else { false } })
            }
            try await house.redis.start()
            try await house.untilTold()
            let pushes = try await house.pushes()
            #expect(pushes.count == 20_000)
            for room in rooms {
                let isInOrder = pushes.filter { $0.hasPrefix("\(room):") } == (1...5000).map { "\(room):\($0)" }
                #expect(isInOrder, "\(room)")
            }
        }
    }

    @Test("One bad message fails alone: those that share its commit are written")
    func oneBad() async throws {
        try await ChatHouse.use { house in
            try await house.database.database.run(
                sql: "alter table chat.message add constraint planted check (content <> 'bad')")
            let statuses = try await withThrowingTaskGroup(of: (String, Int).self) { group in
                for turn in 0..<40 {
                    let text = turn % 8 == 3 ? "bad" : "good"
                    group.addTask { (text, try await house.send(text, user: Int64(turn % 4 + 1)).status) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.allSatisfy { $0.0 == "bad" ? $0.1 == 500 : $0.1 == 201 })
            let counts = try await house.database.ask("select count(*), min(seq), max(seq) from chat.message")
            #expect(counts == "35|1|35")
        }
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}
