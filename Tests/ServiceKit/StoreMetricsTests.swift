import EventLoop
import HTTP
import Postgres
import Redis
import ServiceSupport
import Synchronization
import Telemetry
import TestSupport
import Testing
import Wire

@testable import ServiceKit

@Suite("Metrics of stores and providers")
struct StoreMetricsTests {
    private final class Flag: Sendable {
        let state = Mutex(false)
    }

    /// Runs a service with a queue and an outbox, and passes its stores and queues to `body`.
    private func use(_ body: (ServiceUnderTest, StoreMetrics.Subjects) async throws -> Void) async throws {
        let subjects = Mutex(StoreMetrics.Subjects())
        let service = try await ServiceUnderTest("sample", []) { builder in
            let database = try await builder.database("sample", migrations: Outbox.migrations)
            _ = builder.orderedPool(to: "sample")
            _ = try builder.fileStore(folders: ["things"])
            try builder.relayOutbox(
                of: database, to: builder.redis(), streams: OutboxStreams("published"), grace: .seconds(3600),
                retention: .day
            ) { _ in [] }
            builder.queue("things") { QueueLength(rows: 3, oldest: .now - .seconds(100)) }
            builder.measured.redis = try builder.redis()
            subjects.withLock { [measured = builder.measured] in $0 = measured }
        }
        let redis = service.redis
        do {
            try await body(service, subjects.withLock(\.self))
        } catch {
            await service.stop()
            await redis.stop()
            throw error
        }
        await service.stop()
        await redis.stop()
    }

    private func page(_ metrics: StoreMetrics, of service: ServiceUnderTest) -> [Substring: Double] {
        let registry = MetricsRegistry(for: service.loops)
        registry.add(metrics)
        var values: [Substring: Double] = [:]
        for line in String(decoding: registry.page(), as: UTF8.self).split(separator: "\n") where line.first != "#" {
            let space = line.lastIndex(of: " ")!
            values[line[..<space]] = Double(line[line.index(after: space)...])
        }
        return values
    }

    @Test("The page of a service shows Postgres, its pools, Redis, its queues and the disk of its files")
    func page() async throws {
        try await use { service, subjects in
            let metrics = StoreMetrics(subjects)
            #expect(page(metrics, of: service)["maru_postgres_up"] == 0, "nothing has been measured")
            try await service.database.run(
                sql: "insert into sample.outbox (type, body) values ('a', '{}'), ('b', '{}')")
            try await service.loops.loops[0].run { await metrics.measure() }
            let values = page(metrics, of: service)
            #expect(values["maru_postgres_up"] == 1)
            #expect(values["maru_postgres_connections"] ?? 0 >= 1)
            #expect(values["maru_postgres_connection_limit"] ?? 0 > values["maru_postgres_connections"] ?? 0)
            #expect(values["maru_postgres_database_bytes"] ?? 0 > 1_000_000)
            #expect(values["maru_postgres_transactions_total{outcome=\"committed\"}"] ?? 0 > 0)
            #expect(values["maru_postgres_archive_failing"] == 0)
            #expect(values["maru_pool_connection_limit{pool=\"shared\"}"] == 8, "four for each of two loops")
            #expect(values["maru_pool_connection_limit{pool=\"ordered\"}"] == 2)
            #expect(values["maru_pool_waiting{pool=\"shared\"}"] == 0)
            #expect(values["maru_pool_failovers_total{pool=\"shared\"}"] == 0)
            let hosts = values.filter { $0.key.hasPrefix("maru_pool_host_connections{pool=\"shared\"") }
            #expect(hosts.count == 1 && hosts.allSatisfy { $0.value >= 1 })
            #expect(values["maru_redis_up"] == 1)
            #expect(values["maru_redis_memory_bytes"] ?? 0 > 100_000)
            #expect(values["maru_queue_rows{queue=\"outbox\"}"] == 2)
            #expect(values["maru_queue_rows{queue=\"things\"}"] == 3)
            #expect(values["maru_queue_age_seconds{queue=\"things\"}"] ?? 0 >= 100)
            #expect(values["maru_disk_free_bytes"] ?? 0 > 0)
            #expect(values["maru_disk_size_bytes"] ?? 0 > values["maru_disk_free_bytes"] ?? 0)
            let reply = try await HTTPCall.get(port: service.running.internalAddress.port, "/metrics")
            #expect(reply.text.contains("\nmaru_queue_rows{queue=\"things\"} "))
        }
    }

    @Test("A store that does not answer is shown as down, and a queue keeps its last length")
    func down() async throws {
        try await use { service, subjects in
            let metrics = StoreMetrics(subjects)
            let loop = service.loops.loops[0]
            try await loop.run { await metrics.measure() }
            await service.redis.stop()
            try await eventually("an end of the connection") {
                try await loop.run { await metrics.measure() }
                return page(metrics, of: service)["maru_redis_up"] == 0
            }
            let values = page(metrics, of: service)
            #expect(values["maru_redis_memory_bytes"] == nil)
            #expect(values["maru_postgres_up"] == 1 && values["maru_queue_rows{queue=\"outbox\"}"] == 0)
        }
    }

    @Test("Busy connections and waiting transactions of a pool are counted")
    func usage() async throws {
        try await use { service, subjects in
            let pool = subjects.pools[0].pool
            let loop = service.loops.loops[0]
            let isOver = Flag()
            try await withThrowingTaskGroup { group in
                for _ in 0..<5 {
                    group.addTask {
                        try await loop.run {
                            // A transaction that has waited for too long tries again.
                            while !isOver.state.withLock(\.self), !Task.isCancelled {
                                _ = try? await pool.transaction { tx in
                                    try await tx.execute(.waitForLong)
                                    try await eventually("an end") { isOver.state.withLock(\.self) }
                                }
                            }
                        }
                    }
                }
                // Three of the four connections of a loop may be leased.
                try await eventually("two waiting transactions") {
                    let usage = await pool.usage()
                    return usage.waiting == 2 && usage.busy >= 3 && usage.limit == 8
                }
                isOver.state.withLock { $0 = true }
                try await group.waitForAll()
            }
        }
    }

    @Test("A reply of Redis without the numbers is not taken for memory")
    func redisMemory() {
        let text = "# Memory\r\nused_memory:1000\r\nused_memory_human:1K\r\nmaxmemory:2000\r\n"
        #expect(RedisMemory(info: text) == RedisMemory(used: 1000, limit: 2000))
        #expect(RedisMemory(info: "# Memory\r\nused_memory:1000\r\n") == nil)
    }

    @Test("Calls to a provider are counted by their outcome")
    func providers() async throws {
        let loops = EventLoopGroup(count: 1)
        let server = Server(on: loops) { request in
            Response(Status(UInt16(String(decoding: request.path.dropFirst(), as: UTF8.self)) ?? 500))
        }
        let port = try server.start(at: SocketAddress(ip: "127.0.0.1", port: 0)!).port
        let registry = MetricsRegistry(for: loops)
        let provider = ProviderHTTP(HTTPClient(on: loops), provider: "kakao", metrics: registry)
        try await loops.loops[0].run {
            for status in [200, 204, 400, 401, 404, 429, 500] {
                _ = try await provider.send(HTTPClient.Request(.get, "http://127.0.0.1:\(port)/\(status)"))
            }
        }
        await server.stop()
        try await loops.loops[0].run {
            _ = await #expect(throws: HTTPClient.Failure.self) {
                try await provider.send(HTTPClient.Request(.get, "http://127.0.0.1:\(port)/200"))
            }
        }
        let page = String(decoding: registry.page(), as: UTF8.self)
        for (outcome, count) in [("answered", 2), ("refused", 3), ("failed", 2), ("unreachable", 1)] {
            let line = "maru_provider_seconds_count{provider=\"kakao\",outcome=\"\(outcome)\"} \(count)\n"
            #expect(page.contains(line))
        }
        await onOwnThread { loops.stop() }
    }
}
