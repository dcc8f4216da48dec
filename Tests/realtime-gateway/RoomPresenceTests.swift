import EventLoop
import Redis
import TestSupport
import Testing
import Wire

@testable import realtime_gateway

@Suite("Departures that Redis has not taken")
struct RoomPresenceTests {
    private static let room = RoomID(ChannelID(7))

    /// Runs `body` on a loop without a connection to Redis.
    private static func use(
        lifetime: Duration = .seconds(3600), _ body: @escaping @Sendable (RoomPresence) async throws -> Void
    ) async throws {
        let loops = EventLoopGroup(count: 1)
        let configuration = try #require(RedisConfiguration(url: "redis://127.0.0.1:\(FreePort.pick())/0"))
        let redis = Redis(configuration, on: loops, resolvingOn: BlockingPool(threads: 1, limit: 8))
        let outcome = await Task {
            let loop = loops.loops[0]
            try await loop.run {
                let times = Presence.Times(lifetime: lifetime, renewal: .seconds(3600))
                try await body(RoomPresence(Presence(redis: redis, times: times), of: "loop", on: loop))
            }
        }.result
        redis.close()
        await onOwnThread { loops.stop() }
        try outcome.get()
    }

    @Test("Departures are written again, except those of users that have come back")
    func repeated() async throws {
        try await Self.use { presence in
            for user in 1...3 { presence.leave(UserID(Int64(user)), Self.room) }
            try await eventually("three departures") { presence.unwrittenCount == 3 }
            presence.leaveAgain { user, _ in user == UserID(2) }
            try await eventually("two that have failed again") { presence.unwrittenCount == 2 }
        }
    }

    @Test("Departures are dropped once their entries have expired, however long Redis is away")
    func expired() async throws {
        try await Self.use(lifetime: .zero) { presence in
            presence.leave(UserID(1), Self.room)
            try await eventually("a departure") { presence.unwrittenCount == 1 }
            presence.leaveAgain { _, _ in false }
            #expect(presence.unwrittenCount == 0)
        }
    }

    @Test("No more departures are kept than a connection accepts at once, even if all of them are from one room")
    func bounded() async throws {
        try await Self.use { presence in
            for user in 1...20_000 { presence.leave(UserID(Int64(user)), Self.room) }
            try await eventually("many departures") { presence.unwrittenCount >= 8000 }
            #expect(presence.unwrittenCount < 16_384)
        }
    }
}
