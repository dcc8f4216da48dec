import Contract
import EventLoop
import Redis
import TestSupport
import Testing
import Wire

@testable import ServiceKit

@Suite("Shared call limits")
struct SharedLimitsTests {
    /// The limits of one instance, with its own connection to Redis.
    private struct Instance {
        let limits: CallLimits
        let sharing: SharedLimits
        let redis: Redis

        init(_ server: RedisServer, _ loops: EventLoopGroup, _ pool: BlockingPool, burst: Double, rate: Double = 0.01) {
            limits = CallLimits(perUser: (rate, burst), perAddress: (rate, burst))
            var configuration = RedisConfiguration(url: "redis://127.0.0.1:\(server.port)/0")!
            configuration.commandTimeout = .seconds(20).patiently
            redis = Redis(configuration, on: loops, resolvingOn: pool)
            sharing = SharedLimits(limits: limits, redis: redis, name: "test")
        }

        /// The number of admitted calls of `count` calls of a user.
        func admitted(_ user: Int64, of count: Int) -> Int {
            (0..<count).count { _ in (try? limits.admit(UserID(user))) != nil }
        }
    }

    private func withInstances(
        burst: Double, _ body: @escaping @Sendable (Instance, Instance, RedisServer) async throws -> Void
    ) async throws {
        let server = try await RedisServer.start()
        let loops = EventLoopGroup(count: 1)
        let pool = BlockingPool(threads: 1, limit: 16)
        try await loops.loops[0].run {
            let one = Instance(server, loops, pool, burst: burst)
            let other = Instance(server, loops, pool, burst: burst)
            for instance in [one, other] { try await instance.redis.connected(within: .seconds(20)) }
            try await body(one, other, server)
            for instance in [one, other] { instance.redis.close() }
        }
        await server.stop()
        await onOwnThread { loops.stop() }
        pool.stop()
    }

    @Test("Tokens that one instance has taken are not available to another")
    func shared() async throws {
        try await withInstances(burst: 64) { one, other, _ in
            #expect(one.admitted(7, of: 100) == 64)
            await one.sharing.synchronize()
            // The other instance does not know yet; after a few calls it synchronizes.
            #expect(other.admitted(7, of: 2) == 2)
            await other.sharing.synchronize()
            #expect(other.admitted(7, of: 100) == 0)
            #expect(other.admitted(8, of: 1) == 1)
        }
    }

    @Test("After exceeding the limit on several instances, a user waits for the reported time, until the debt is paid")
    func debt() async throws {
        try await withInstances(burst: 64) { one, other, _ in
            #expect(one.admitted(7, of: 64) + other.admitted(7, of: 64) == 128)
            await one.sharing.synchronize()
            await other.sharing.synchronize()
            let failure = #expect(throws: Failure.self) { try other.limits.admit(UserID(7)) }
            // 64 tokens owed and one wanted, at one per hundred seconds.
            #expect(failure?.code == .tooManyCalls)
            #expect(failure?.retryAfter.map { $0 > .seconds(6000) } == true)
        }
    }

    @Test("A user with few calls is not reported to Redis")
    func little() async throws {
        try await withInstances(burst: 640) { one, _, _ in
            #expect(one.admitted(7, of: 19) == 19)
            await one.sharing.synchronize()
            let none = try await one.redis.run(RedisCommand("DBSIZE")).integer
            #expect(none == 0)
            #expect(one.admitted(7, of: 1) == 1)
            await one.sharing.synchronize()
            let some = try await one.redis.run(RedisCommand("DBSIZE")).integer
            #expect(some == 1)
        }
    }

    @Test("Without Redis each instance limits alone and reports later")
    func withoutRedis() async throws {
        try await withInstances(burst: 64) { one, other, server in
            await server.stop()
            #expect(one.admitted(7, of: 100) == 64)
            await one.sharing.synchronize()
            #expect(one.admitted(7, of: 100) == 0)
            #expect(other.admitted(7, of: 2) == 2)
            try await server.start()
            for instance in [one, other] { try await instance.redis.connected(within: .seconds(20)) }
            await one.sharing.synchronize()
            await other.sharing.synchronize()
            #expect(other.admitted(7, of: 100) == 0)
        }
    }

    @Test("Two running instances share a limit and keep it without Redis, with E98 and Retry-After")
    func services() async throws {
        let redis = try await RedisServer.start()
        let settings = ["user_burst": "320", "user_rate": "1"]
        let one = try await SampleService(settings, redis: redis)
        let other = try await SampleService(settings, redis: redis)
        #expect(try await one.callUntilRefused(as: one.token(user: 5, profile: "native"), atMost: 2000) >= 320)
        // It learns of the calls from Redis, which may stand still for a while.
        let admitted = try await other.callUntilRefused(
            as: other.token(user: 5, profile: "native"), atMost: 2000, every: .milliseconds(100))
        #expect(admitted < 320, "\(admitted) more calls were admitted")
        await redis.stop()
        // The bucket may have refilled by a few tokens while Redis was stopped or the machine stood still.
        var refused: HTTPCall.Reply?
        var calls = 0
        while refused?.status != 429, calls < 300 {
            refused = try await other.call(
                "GET", "/v1/things/5",
                [("SesacKey", "native"), ("Authorization", other.token(user: 5, profile: "native"))])
            calls += 1
        }
        let refusal = try #require(refused)
        #expect(refusal.status == 429 && refusal.text.contains("E98"))
        #expect(Int(refusal.headers["retry-after"] ?? "") ?? 0 > 0)
        #expect(try await other.callUntilRefused(as: other.token(user: 6, profile: "native"), atMost: 2000) >= 320)
        await one.stop()
        await other.stop()
    }
}
