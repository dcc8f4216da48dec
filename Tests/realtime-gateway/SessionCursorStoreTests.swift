import EventLoop
import Redis
import ServiceKit
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Session cursors in Redis")
struct SessionCursorStoreTests {
    static let room = RoomID(ChannelID(7))

    /// Runs `body` on a loop with a store in the Redis of these tests.
    static func use(
        at own: RedisServer? = nil,
        _ body: @escaping @Sendable (SessionCursorStore, SessionCursors) async throws -> Void
    ) async throws {
        let server = if let own { own } else { try await RedisServer.ofThisProcess() }
        let loops = EventLoopGroup(count: 1)
        let blocking = BlockingPool(threads: 1, limit: 8)
        var configuration = try #require(RedisConfiguration(url: "redis://127.0.0.1:\(server.port)/0"))
        configuration.commandTimeout = .seconds(20).patiently
        let redis = Redis(configuration, on: loops, resolvingOn: blocking)
        let outcome = await Task {
            try await loops.loops[0].run {
                try await redis.connected(within: .seconds(20))
                let memory = Duration.seconds(86_400)
                try await body(
                    SessionCursorStore(redis: redis, memory: memory), SessionCursors(redis: redis, memory: memory))
            }
        }.result
        redis.close()
        await onOwnThread { loops.stop() }
        try outcome.get()
    }

    static func claim(
        _ session: SessionID, _ seq: Int64, _ name: String, joined: Int64 = 0, end: Int64? = nil, heard: Int64? = nil
    ) -> SessionCursors.SocketRecord {
        SessionCursors.SocketRecord(
            session: session, room: room, seq: seq,
            socket: .init(name: name, start: seq, joined: Timestamp(milliseconds: joined), end: end),
            heard: Timestamp(milliseconds: heard ?? joined))
    }

    private static func release(
        _ session: SessionID, _ seq: Int64, _ name: String, heard: Int64 = 1
    ) -> [SessionCursors.Release] {
        [
            SessionCursors.Release(
                session: session, room: room, seq: seq, name: name, claimed: Timestamp(milliseconds: heard),
                heard: Timestamp(milliseconds: heard))
        ]
    }

    @Test("A cursor only grows, in any order of writes")
    func grows() async throws {
        try await Self.use { store, cursors in
            let session = SessionID(501)
            #expect(try await store.find(session, Self.room) == JoinCursor())
            try await cursors.report(session, Self.room, 5)
            try await cursors.report(session, Self.room, 3)
            await store.confirm(session, Self.room, 4)
            #expect(try await store.find(session, Self.room).seq == 5)
            try await store.write(Self.claim(session, 2, "f/1"))
            let found = try await store.find(session, Self.room)
            #expect(found.seq == 5 && found.history == 5)
        }
    }

    @Test("Messages that a dead gateway reserved count as sent; a late command does not lower the reservation")
    func reserved() async throws {
        try await Self.use { store, _ in
            let session = SessionID(502)
            try await store.write(Self.claim(session, 5, "dead/1"))
            #expect(await store.reserve([(Self.room, 9)], for: "dead") == [true])
            #expect(await store.reserve([(Self.room, 7)], for: "dead") == [true])
            #expect(try await store.find(session, Self.room).seq == 9)
        }
    }

    @Test("The reservation of a dead gateway does not count for a socket that was catching up")
    func behind() async throws {
        try await Self.use { store, _ in
            let session = SessionID(505)
            _ = await store.reserve([(Self.room, 9)], for: "slow")
            try await store.write(Self.claim(session, 3, "slow/1", end: 5))
            #expect(try await store.find(session, Self.room).seq == 5)
            // A socket that leaves alive knows better how far it came.
            #expect(await store.write(Self.release(session, 4, "slow/1")) == [.written])
            #expect(try await store.find(session, Self.room).seq == 4)
            try await store.write(Self.claim(session, 4, "slow/1", end: 6))
            try await store.write(Self.claim(session, 6, "slow/1"))
            #expect(try await store.find(session, Self.room).seq == 9)
        }
    }

    @Test("A socket that leaves writes how far it came, unless a newer one has taken its place")
    func released() async throws {
        try await Self.use { store, _ in
            let session = SessionID(503)
            try await store.write(Self.claim(session, 5, "old/1"))
            try await store.write(Self.claim(session, 6, "new/1", joined: 1))
            // The old one has gone on sending to a client that was not there any more.
            #expect(await store.write(Self.release(session, 30, "old/1")) == [.superseded])
            #expect(try await store.find(session, Self.room).seq == 6)
            #expect(await store.write(Self.release(session, 8, "new/1")) == [.written])
            _ = await store.reserve([(Self.room, 40)], for: "new")
            #expect(try await store.find(session, Self.room).seq == 8)
        }
    }

    @Test("After the newest socket has left, an older one moves the cursor only if its client has been heard since")
    func halfOpen() async throws {
        try await Self.use { store, _ in
            let session = SessionID(509)
            try await store.write(Self.claim(session, 5, "old/1", joined: 1))
            try await store.write(Self.claim(session, 6, "new/1", joined: 3))
            _ = await store.write(Self.release(session, 8, "new/1", heard: 3))
            // The old one is half-open: its client has not seen the messages.
            try await store.write(Self.claim(session, 20, "old/1", joined: 1, heard: 2))
            _ = await store.write(Self.release(session, 30, "old/1", heard: 2))
            #expect(try await store.find(session, Self.room).seq == 8)
            // The old one is another page of the same user, which goes on.
            try await store.write(Self.claim(session, 20, "old/1", joined: 1, heard: 4))
            #expect(try await store.find(session, Self.room).seq == 20)
            _ = await store.write(Self.release(session, 30, "old/1", heard: 4))
            #expect(try await store.find(session, Self.room).seq == 30)
        }
    }

    @Test("Messages sent to a half-open socket after its session's next join do not count once the next socket claims")
    func superseded() async throws {
        try await Self.use { store, cursors in
            let session = SessionID(510)
            // Redis has come back without the records, and the gateway of the older socket writes first.
            try await cursors.report(session, Self.room, 4)
            try await store.write(Self.claim(session, 30, "older/1", joined: 1))
            try await store.write(Self.claim(session, 6, "newer/1", joined: 2))
            #expect(try await store.find(session, Self.room).seq == 6)
        }
    }

    @Test("Messages to a half-open socket do not count even if it leaves between its session's next join and claim")
    func leftBeforeClaim() async throws {
        try await Self.use { store, cursors in
            let session = SessionID(512)
            try await cursors.report(session, Self.room, 4)
            try await store.write(Self.claim(session, 5, "older/1", joined: 1))
            #expect(await store.write(Self.release(session, 30, "older/1", heard: 1)) == [.written])
            try await store.write(Self.claim(session, 6, "newer/1", joined: 2))
            #expect(try await store.find(session, Self.room).seq == 6)
        }
    }

    @Test("A reservation that follows a socket's release does not count for it, even if the cursor is read meanwhile")
    func releasedMeanwhile() async throws {
        try await Self.use { store, _ in
            let session = SessionID(511)
            let loop = try #require(EventLoop.current)
            try await store.write(Self.claim(session, 0, "busy/1"))
            async let writes: Void = {
                // Even messages are sent to the socket, odd ones follow its end.
                for seq in stride(from: Int64(2), to: 400, by: 2) {
                    try await store.write(Self.claim(session, seq, "busy/1"))
                    // In one piece, the release first, so that both fit between two reads.
                    let release = Task.immediate(executorPreference: loop) {
                        await store.write(Self.release(session, seq, "busy/1"))
                    }
                    _ = await store.reserve([(Self.room, seq + 1)], for: "busy")
                    _ = await release.value
                }
            }()
            var found: [Int64] = []
            let limit = ContinuousClock.now + Duration.seconds(60).patiently
            while found.last ?? 0 < 398, ContinuousClock.now < limit {
                found.append(try await store.find(session, Self.room).seq ?? 0)
            }
            try await writes
            #expect(found.allSatisfy { $0 % 2 == 0 })
        }
    }

    @Test("An older socket that falls behind does not take the newer one's place")
    func older() async throws {
        try await Self.use { store, cursors in
            let session = SessionID(506)
            try await store.write(Self.claim(session, 5, "old/1", joined: 1))
            try await store.write(Self.claim(session, 6, "new/1", joined: 2))
            try await store.write(Self.claim(session, 20, "old/1", joined: 1, end: 20))
            let cursor = try #require(try await cursors.find(session, Self.room))
            #expect(cursor.socket?.name == "new/1" && cursor.seq == 6)
        }
    }

    @Test("A history reply counts at once, until a socket has continued from there")
    func fresh() async throws {
        try await Self.use { store, cursors in
            let session = SessionID(504)
            // It is fresh for three seconds, which a machine that stands still may miss.
            try await eventually("a fresh reply") {
                try await cursors.report(session, Self.room, 5)
                return try await store.find(session, Self.room).isFresh
            }
            try await store.write(Self.claim(session, 5, "f/1"))
            #expect(try await !store.find(session, Self.room).isFresh)
        }
    }

    @Test("A history call is under way from its begin to its report, and the end of another one does not end it")
    func reading() async throws {
        try await Self.use { store, cursors in
            let session = SessionID(507)
            let first = cursors.beginRead(session, Self.room)
            // The mark would expire while the machine stands still.
            try await store.redis.run(RedisCommand("PERSIST", "reading:507:\(Self.room)"))
            #expect(try await store.find(session, Self.room).isBeingRead)
            try await cursors.report(session, Self.room, 5, begun: first - .milliseconds(1))
            #expect(try await store.find(session, Self.room).isBeingRead)
            try await cursors.report(session, Self.room, 5, begun: first)
            #expect(try await !store.find(session, Self.room).isBeingRead)
            try await eventually("another millisecond") { Timestamp.now > first }
            let second = cursors.beginRead(session, Self.room)
            try await store.redis.run(RedisCommand("PERSIST", "reading:507:\(Self.room)"))
            await cursors.endRead(session, Self.room, begun: first)
            #expect(try await store.find(session, Self.room).isBeingRead)
            await cursors.endRead(session, Self.room, begun: second)
            #expect(try await !store.find(session, Self.room).isBeingRead)
        }
    }

    @Test("A report that may leave out messages returns the socket that joined just now, and no older one")
    func joining() async throws {
        try await Self.use { _, cursors in
            let session = SessionID(508)
            for (age, isJoining) in [(10_000, false), (0, true)] {
                // A socket joins for three seconds, which a machine that stands still may miss.
                try await eventually("an answer about a socket of \(age) ms") {
                    let joined = Timestamp.now.milliseconds - Int64(age)
                    try await cursors.write(Self.claim(session, 3, "new/\(age)", joined: joined))
                    let all = try #require(try await cursors.report(session, Self.room, 5))
                    #expect(all.socket == nil)
                    let cursor = try #require(try await cursors.report(session, Self.room, 5, mayLeaveOut: true))
                    return (cursor.socket?.start == 3) == isJoining
                }
            }
        }
    }
}
