import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Positions told to gateways", .serialized)
struct GatewayPositionTests {
    /// What a gateway finds of a session in channel 7: what Redis has, or where that is too slow for a reply, the
    /// table.
    private static func known(_ house: ChatHouse, _ session: Int) async throws -> Int? {
        let redis = try await house.redis.command("HGET", "position:\(session):channel-7", "seq")
        let told = redis.first.flatMap { Int($0) }
        let untold = try await Self.untold(house, session)
        return untold > 0 ? max(told ?? 0, untold) : told
    }

    /// What the table has of a session in channel 7; 0 where it has nothing.
    private static func untold(_ house: ChatHouse, _ session: Int) async throws -> Int {
        let path = "/internal/rooms/channel-7/positions/\(session)"
        let reply = try await house.instances[0].internalCall("GET", path)
        guard let seq = try reply.json["seq"]?.int else {
            throw NeverHappened(description: "a position: \(reply.text)")
        }
        return seq
    }

    @Test("What a gateway knows of a session's place only grows, whatever page is read later")
    func growing() async throws {
        try await ChatHouse.use { house in
            _ = try await house.database.write((1...30).map { .sample("\($0)", author: 2) })
            for (query, position) in [
                ("?after_seq=5&limit=10", 15), ("?after_seq=0&limit=5", 15), ("?before_seq=10&limit=5", 15),
                ("", 30), ("?after_seq=0&limit=10", 30), ("?cursor_date=", 30),
            ] {
                _ = try await house.history(query)
                let told = try await Self.known(house, 1001)
                #expect(told == position, "after \(query)")
            }
            // Another session of another user has a place of its own.
            _ = try await house.history("?after_seq=0&limit=3", user: 2)
            #expect(try await Self.known(house, 1002) == 3)
        }
    }

    @Test("A session that opens a room with the newest page that it knows of is sent what was said since")
    func newestKnown() async throws {
        try await ChatHouse.use { house in
            func known(_ user: Int) async throws -> Int? { try await Self.known(house, 1000 + user) }
            _ = try await house.database.write((1...31).map { .sample("\($0)", author: 2) })
            _ = try await house.history("?before_seq=31&limit=30")
            #expect(try await known(1) == 30)
            // It says nothing of how far they have read.
            #expect(try await house.unread(user: 1) == 31)
            _ = try await house.history("?before_seq=20&limit=10")
            #expect(try await known(1) == 30)
            // Nothing had been said when they looked.
            _ = try await house.history("?before_seq=1", user: 2)
            #expect(try await known(2) == 0)
            // They may have from elsewhere what would come again.
            _ = try await house.history("?before_seq=31&limit=30", user: 3, key: "gathering")
            #expect(try await known(3) == nil)
            // A page from so far up is no newest one.
            _ = try await house.database.write((1...490).map { .sample("\($0)", author: 2) }, at: .now + .seconds(5))
            _ = try await house.history("?before_seq=20&limit=10", user: 4)
            #expect(try await known(4) == nil)
        }
    }

    @Test("The position is known before the reply has come, also to who listens")
    func before() async throws {
        try await ChatHouse.use { house in
            _ = try await house.database.write([.sample("a", author: 2), .sample("b", author: 2)])
            let connection = try RawConnection(port: house.redis.port)
            try connection.send("SUBSCRIBE positions\r\n")
            _ = try connection.receive(until: ":1\r\n")
            let reply = try await house.call("GET", "/v1/workspaces/3/channels/7/chats")
            #expect(reply.status == 200)
            #expect(try await Self.known(house, 1001) == 2)
            let hint = try connection.receive(until: "}\r\n")
            #expect(hint.contains(#""session":"1001""#) && hint.contains(#""room":"channel-7""#))
            #expect(hint.contains(#""seq":2"#))
        }
    }

    @Test("Where Redis does not answer, history is read all the same and gateways learn of the position on demand")
    func withoutRedis() async throws {
        try await ChatHouse.use { house in
            _ = try await house.database.write((1...3).map { .sample("\($0)", author: 2) })
            // A reply waits for Redis so shortly that a busy machine may be too slow.
            try await eventually("a position that Redis has taken in time") {
                _ = try await house.database.ask("delete from chat.told_position")
                _ = try await house.history("?after_seq=0&limit=1")
                return try await Self.untold(house, 1001) == 0
            }
            await house.redis.kill()
            _ = try await house.history("")
            #expect(try await Self.untold(house, 1001) == 3)
            // It only grows, and is each session's own.
            _ = try await house.history("?after_seq=0&limit=2")
            #expect(try await Self.untold(house, 1001) == 3)
            #expect(try await Self.untold(house, 1002) == 0)
        }
    }
}
