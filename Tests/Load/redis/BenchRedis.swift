import EventLoop
import Foundation
import Glibc
import Redis
import TestSupport

/// Compares the Redis module with redis-benchmark on a private server: small reads by 1 and by 32 callers on one
/// connection, and published messages to one subscriber.
@main
struct BenchRedis {
    static func main() async throws {
        let server = try await RedisServer.start()
        let group = EventLoopGroup(count: 1)
        let pool = BlockingPool(threads: 1, limit: 4)
        let configuration = RedisConfiguration(.host("127.0.0.1", port: server.port))
        let redis = Redis(configuration, on: group, resolvingOn: pool)
        let subscriber = RedisSubscriber(configuration, on: group, resolvingOn: pool)
        try await group.loops[0].run {
            try await redis.connected(within: .seconds(5))
            try await redis.set("key:__rand_int__", to: [UInt8](repeating: 120, count: 64))
        }
        print("                                    per second   client CPU us")
        for _ in 0..<3 {
            for depth in [1, 32] {
                try await measure("Maru, \(depth) callers", count: depth == 1 ? 20_000 : 200_000) { count in
                    try await group.loops[0].run { try await get(redis, count: count, depth: depth) }
                }
                try await measure("redis-benchmark -P \(depth)", count: depth == 1 ? 20_000 : 200_000) { count in
                    try await benchmark(server, count: count, depth: depth)
                }
            }
            try await measure("Maru, publish and hear 300 bytes", count: 100_000) { count in
                try await group.loops[0].run { try await publish(redis, subscriber, on: group.loops[0], count: count) }
            }
        }
        redis.close()
        subscriber.close()
        await onOwnThread { group.stop() }
    }

    private static func get(_ redis: Redis, count: Int, depth: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<depth {
                tasks.addTask { for _ in 0..<count / depth { _ = try await redis.get("key:__rand_int__") } }
            }
            try await tasks.waitForAll()
        }
    }

    private static func publish(
        _ redis: Redis, _ subscriber: RedisSubscriber, on loop: EventLoop, count: Int
    ) async throws {
        let message = [UInt8](repeating: 120, count: 300)
        let received = ReceivedCount()
        let subscription = try await subscriber.subscribe(to: "room", on: loop) { event in
            if case .message = event { received.count += 1 }
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<32 {
                tasks.addTask { for _ in 0..<count / 32 { try await redis.publish(message, to: "room") } }
            }
            try await tasks.waitForAll()
        }
        while received.count < count / 32 * 32 { await Task.yield() }
        subscription.cancel()
    }

    private static func benchmark(_ server: RedisServer, count: Int, depth: Int) async throws {
        let arguments = [
            "-p", "\(server.port)", "-c", "1", "-P", "\(depth)", "-n", "\(count)", "-q", "-t", "get", "-d", "64",
        ]
        let process = try ChildProcess("/usr/bin/redis-benchmark", arguments, log: "/dev/null")
        guard await process.wait() == 0 else { throw NeverHappened(description: "redis-benchmark") }
    }

    /// Prints the rate, and the CPU time of this process and its ended children for each operation.
    private static func measure(_ name: String, count: Int, _ body: @Sendable (Int) async throws -> Void) async throws {
        let (start, used) = (ContinuousClock.now, processorTime())
        try await body(count)
        let seconds = (ContinuousClock.now - start) / Duration.seconds(1)
        let cost = (processorTime() - used) / Double(count) * 1e6
        print(
            name.padding(toLength: 34, withPad: " ", startingAt: 0),
            String(format: "%11.0f  %12.2f", Double(count) / seconds, cost))
    }

    private static func processorTime() -> Double {
        var sum = 0.0
        for who in [RUSAGE_SELF, RUSAGE_CHILDREN] {
            var usage = rusage()
            getrusage(__rusage_who_t(who.rawValue), &usage)
            sum += Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
            sum += Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
        }
        return sum
    }
}

/// The number of messages received.
///
/// - Note: `@unchecked Sendable` because this program runs on one loop.
private final class ReceivedCount: @unchecked Sendable {
    var count = 0
}
