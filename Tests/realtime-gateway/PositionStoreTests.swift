import EventLoop
import Redis
import ServiceKit
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Positions in Redis")
struct PositionStoreTests {
    private static let room = RoomID(ChannelID(7))

    /// Runs `body` on a loop with a store in the Redis of these tests.
    private static func use(_ body: @escaping @Sendable (PositionStore, SessionCursors) async throws -> Void)
        async throws
    {
        let server = try await RedisServer.ofThisProcess()
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
                    PositionStore(redis: redis, memory: memory), SessionCursors(redis: redis, memory: memory))
            }
        }.result
        redis.close()
        await onOwnThread { loops.stop() }
        try outcome.get()
    }

    @Test("A position only grows, in whatever order it is written")
    func grows() async throws {
        try await Self.use { store, positions in
            let session = SessionID(501)
            #expect(try await store.find(session, Self.room) == nil)
            try await positions.setHistory(session, Self.room, 5)
            try await positions.setHistory(session, Self.room, 3)
            await store.confirm(session, Self.room, 4)
            #expect(try await store.find(session, Self.room)?.seq == 5)
            try await store.claim(session, Self.room, at: 2, for: "f/1")
            #expect(try await store.find(session, Self.room)?.seq == 5)
        }
    }

    @Test("What a dead gateway may have sent counts as received; a command that comes late does not lower it")
    func reserved() async throws {
        try await Self.use { store, _ in
            let session = SessionID(502)
            try await store.claim(session, Self.room, at: 5, for: "dead/1")
            #expect(await store.reserve([(Self.room, 9)], for: "dead") == [true])
            #expect(await store.reserve([(Self.room, 7)], for: "dead") == [true])
            #expect(try await store.find(session, Self.room)?.seq == 9)
        }
    }

    @Test("What a dead gateway may have sent a socket that was catching up is not what its others were sent")
    func behind() async throws {
        try await Self.use { store, _ in
            let session = SessionID(505)
            _ = await store.reserve([(Self.room, 9)], for: "slow")
            try await store.claim(session, Self.room, at: 3, .upTo(5), for: "slow/1")
            #expect(try await store.find(session, Self.room)?.seq == 5)
            // One that leaves alive knows better how far it came.
            let leaving = SessionCursors.Leaving(session: session, room: Self.room, seq: 4, live: "slow/1")
            #expect(await store.release([leaving]) == [true])
            #expect(try await store.find(session, Self.room)?.seq == 4)
            try await store.claim(session, Self.room, at: 4, .upTo(6), for: "slow/1")
            try await store.claim(session, Self.room, at: 6, .live, for: "slow/1")
            #expect(try await store.find(session, Self.room)?.seq == 9)
        }
    }

    @Test("A socket that leaves tells how far it came, unless another has taken its place")
    func released() async throws {
        try await Self.use { store, _ in
            let session = SessionID(503)
            func leaving(_ seq: Int64, _ live: String) -> [SessionCursors.Leaving] {
                [SessionCursors.Leaving(session: session, room: Self.room, seq: seq, live: live)]
            }
            try await store.claim(session, Self.room, at: 5, for: "old/1")
            try await store.claim(session, Self.room, at: 6, for: "new/1")
            // The old one has gone on sending to a client that was not there any more.
            #expect(await store.release(leaving(30, "old/1")) == [true])
            #expect(try await store.find(session, Self.room)?.seq == 6)
            #expect(await store.release(leaving(8, "new/1")) == [true])
            _ = await store.reserve([(Self.room, 40)], for: "new")
            #expect(try await store.find(session, Self.room)?.seq == 8)
        }
    }

    @Test("What history has told counts at once, until a socket has gone on from there")
    func fresh() async throws {
        try await Self.use { store, positions in
            let session = SessionID(504)
            try await positions.setHistory(session, Self.room, 5)
            #expect(try await store.find(session, Self.room)?.isFresh == true)
            try await store.claim(session, Self.room, at: 5, for: "f/1")
            #expect(try await store.find(session, Self.room)?.isFresh == false)
        }
    }
}
