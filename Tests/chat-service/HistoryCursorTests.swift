import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("History cursors", .serialized)
struct HistoryCursorTests {
    /// The cursor that a gateway finds for a session in channel 7: in Redis, or in the table if Redis was too slow.
    private static func known(_ chat: ChatHarness, _ session: Int) async throws -> Int? {
        let redis = try await chat.redis.command("HGET", "position:\(session):channel-7", "seq")
        let inRedis = redis.first.flatMap { Int($0) }
        let inTable = try await Self.stored(chat, session)
        return inTable > 0 ? max(inRedis ?? 0, inTable) : inRedis
    }

    /// The cursor in the table for a session in channel 7; 0 if there is none.
    private static func stored(_ chat: ChatHarness, _ session: Int) async throws -> Int {
        let path = "/internal/rooms/channel-7/positions/\(session)"
        let reply = try await chat.instances[0].internalCall("GET", path)
        guard let seq = try reply.json["seq"]?.int else {
            throw NeverHappened(description: "a cursor: \(reply.text)")
        }
        return seq
    }

    @Test("A history cursor never moves backwards, whichever page is read later")
    func growing() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.write((1...30).map { .sample("\($0)", author: 2) })
            for (query, cursor) in [
                ("?after_seq=5&limit=10", 15), ("?after_seq=0&limit=5", 15), ("?before_seq=10&limit=5", 15),
                ("", 30), ("?after_seq=0&limit=10", 30), ("?cursor_date=", 30),
            ] {
                _ = try await chat.history(query)
                let known = try await Self.known(chat, 1001)
                #expect(known == cursor, "after \(query)")
            }
            // Each session has its own cursor.
            _ = try await chat.history("?after_seq=0&limit=3", user: 2)
            #expect(try await Self.known(chat, 1002) == 3)
        }
    }

    @Test("A session that reads its newest known page gets a cursor after that page")
    func newestKnown() async throws {
        try await ChatHarness.use { chat in
            func known(_ user: Int) async throws -> Int? { try await Self.known(chat, 1000 + user) }
            _ = try await chat.database.write((1...31).map { .sample("\($0)", author: 2) })
            _ = try await chat.history("?before_seq=31&limit=30")
            #expect(try await known(1) == 30)
            // The read marker does not move.
            #expect(try await chat.unread(user: 1) == 31)
            _ = try await chat.history("?before_seq=20&limit=10")
            #expect(try await known(1) == 30)
            // A page of an empty room sets the cursor to 0. A reply waits for Redis only briefly, and the table does not tell a
            // cursor of 0 from none.
            try await eventually("a cursor that Redis accepted in time") {
                _ = try await chat.history("?before_seq=1", user: 2)
                return try await Self.known(chat, 1002) == 0
            }
            // No cursor for a profile for which repeated events are fatal.
            _ = try await chat.history("?before_seq=31&limit=30", user: 3, key: "gathering")
            #expect(try await known(3) == nil)
            // A page far below the head is not the newest known one.
            _ = try await chat.database.write((1...490).map { .sample("\($0)", author: 2) }, at: .now + .seconds(5))
            _ = try await chat.history("?before_seq=20&limit=10", user: 4)
            #expect(try await known(4) == nil)
        }
    }

    @Test("The cursor is in Redis and published before the reply arrives")
    func before() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.write([.sample("a", author: 2), .sample("b", author: 2)])
            let connection = try RawConnection(port: chat.redis.port)
            try connection.send("SUBSCRIBE positions\r\n")
            _ = try connection.receive(until: ":1\r\n")
            let reply = try await chat.call("GET", "/v1/workspaces/3/channels/7/chats")
            #expect(reply.status == 200)
            #expect(try await Self.known(chat, 1001) == 2)
            let hint = try connection.receive(until: "}\r\n")
            #expect(hint.contains(#""session":"1001""#) && hint.contains(#""room":"channel-7""#))
            #expect(hint.contains(#""seq":2"#))
        }
    }

    @Test("The cursors of recent replies are written again for a Redis that has lost them")
    func rewritten() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.write((1...3).map { .sample("\($0)", author: 2) })
            // A reply waits for Redis only briefly, so a busy machine may miss the limit.
            try await eventually("a cursor that Redis accepted in time") {
                _ = try await chat.database.ask("delete from chat.told_position")
                _ = try await chat.history("?after_seq=0&limit=2")
                return try await Self.stored(chat, 1001) == 0
            }
            try await chat.redis.command("FLUSHALL")
            await chat.redis.kill()
            try await chat.redis.start()
            try await eventually("the cursor") {
                try await chat.redis.command("HMGET", "position:1001:channel-7", "seq", "history") == ["2", "2"]
            }
        }
    }

    @Test("Without Redis, history still works and gateways can ask for the cursor")
    func withoutRedis() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.database.write((1...3).map { .sample("\($0)", author: 2) })
            // A reply waits for Redis only briefly, so a busy machine may miss the limit.
            try await eventually("a cursor that Redis accepted in time") {
                _ = try await chat.database.ask("delete from chat.told_position")
                _ = try await chat.history("?after_seq=0&limit=1")
                return try await Self.stored(chat, 1001) == 0
            }
            await chat.redis.kill()
            _ = try await chat.history("")
            #expect(try await Self.stored(chat, 1001) == 3)
            // It never moves backwards and belongs to one session.
            _ = try await chat.history("?after_seq=0&limit=2")
            #expect(try await Self.stored(chat, 1001) == 3)
            #expect(try await Self.stored(chat, 1002) == 0)
        }
    }
}
