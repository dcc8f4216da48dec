import EventLoop
import Redis
import ServiceKit
import TestSupport
import Testing

@testable import realtime_gateway

@Suite("Consumer groups of pushes while push is off")
struct UnusedPushGroupTests {
    /// Runs `body` with a server of its own, on a loop.
    private static func use(_ body: @escaping @Sendable (RedisServer, Redis) async throws -> Void) async throws {
        let server = try await RedisServer.start()
        let loops = EventLoopGroup(count: 1)
        let blocking = BlockingPool(threads: 1, limit: 8)
        var configuration = RedisConfiguration(.host("127.0.0.1", port: server.port))
        configuration.commandTimeout = .seconds(20).patiently
        let redis = Redis(configuration, on: loops, resolvingOn: blocking)
        let outcome = await Task {
            try await loops.loops[0].run {
                try await redis.connected(within: .seconds(20).patiently)
                try await body(server, redis)
            }
        }.result
        redis.close()
        await onOwnThread { loops.stop() }
        await server.stop()
        try outcome.get()
    }

    private static func groups(of redis: Redis) -> UnusedPushGroups {
        UnusedPushGroups(redis: redis, streams: OutboxStreams.pushes(in: redis).keys, group: "realtime-gateway")
    }

    @Test("A group that nobody reads any more is deleted, so that chat-service deletes what it has not read")
    func unread() async throws {
        try await Self.use { server, redis in
            var groups = Self.groups(of: redis)
            // There is no stream yet, and then no group.
            try await groups.delete()
            try await server.command("XADD", "push", "*", "id", "none", "body", "{}")
            try await groups.delete()
            for group in ["realtime-gateway", "another"] {
                try await server.command("XGROUP", "CREATE", "push", group, "0")
                try await server.command("XREADGROUP", "GROUP", group, "gone", "STREAMS", "push", ">")
            }
            groups.idleLimit = .milliseconds(1)
            let impatient = groups
            try await eventually("the end of the group") {
                try await impatient.delete()
                return try await redis.groups(ofStream: "push").map(\.name) == ["another"]
            }
        }
    }

    @Test("A group stays while an instance with push on reads it")
    func read() async throws {
        try await Self.use { server, redis in
            var groups = Self.groups(of: redis)
            groups.idleLimit = .seconds(3600)
            try await server.command("XGROUP", "CREATE", "push", "realtime-gateway", "0", "MKSTREAM")
            try await server.command("XADD", "push", "*", "id", "none", "body", "{}")
            try await server.command("XREADGROUP", "GROUP", "realtime-gateway", "alive", "STREAMS", "push", ">")
            try await groups.delete()
            #expect(try await redis.groups(ofStream: "push").map(\.pending) == [1])
        }
    }
}
