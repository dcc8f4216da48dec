import Contract
import HTTP
import Postgres
import Redis
import ServiceKit
import ServiceSupport
import Synchronization
import TestSupport
import Testing
import Wire

@Suite("Restarts of the database and Redis under load")
struct RestartTests {
    /// The results of the calls of a load.
    private final class Tally: Sendable {
        private let state = Mutex(
            (answered: [Int: Int](), slowest: Duration.zero, unanswered: [String](), isOver: false))

        func count(_ status: Int, after time: Duration) {
            state.withLock { state in
                state.answered[status, default: 0] += 1
                state.slowest = max(state.slowest, time)
            }
        }

        func unanswered(_ error: any Error) { state.withLock { $0.unanswered.append("\(error)") } }

        func answered(_ status: Int) -> Int { state.withLock { $0.answered[status] ?? 0 } }

        var statuses: Set<Int> { state.withLock { Set($0.answered.keys) } }
        var slowest: Duration { state.withLock(\.slowest) }
        var unanswered: [String] { state.withLock(\.unanswered) }
        var isOver: Bool { state.withLock(\.isOver) }

        func end() { state.withLock { $0.isOver = true } }
    }

    @Test("A service starts although its session at the database is ended during the start")
    func start() async throws {
        let endSession = Statement.read("end session", "select pg_terminate_backend(pg_backend_pid())")
        let attempts = Mutex(0)
        let service = try await ServiceUnderTest("sample", []) { builder in
            let database = try await builder.database("sample", migrations: [])
            try await builder.retryWhileUnavailable {
                let isFirst = attempts.withLock { attempts in
                    attempts += 1
                    return attempts == 1
                }
                if isFirst { _ = try await database.query(endSession) }
            }
        }
        let redis = service.redis
        await service.stop()
        await redis.stop()
        #expect(attempts.withLock(\.self) == 2)
    }

    private static let callers = 12
    /// The time limits of a wait for a connection and of a statement, with an allowance for a machine that is busy or stands still.
    private static let deadline = ServiceUnderTest.databaseTimeout * 7 / 5 + .seconds(12).patiently
    private static let touch = Statement.read("touch", "select $1::int8 + count(*) from pg_class")

    private func withLoad(
        _ body: @escaping @Sendable (PostgresCluster, RedisServer, Tally) async throws -> Void
    ) async throws {
        let cluster = try await PostgresCluster.start()
        let redis = try await RedisServer.start()
        let service = try await ServiceUnderTest(
            "sample", [], ["address_rate": "1000000", "address_burst": "1000000"],
            database: try await cluster.makeDatabase(), redis: redis
        ) { builder in
            let database = try await builder.database("sample", migrations: Outbox.migrations)
            let redis = try builder.redis()
            builder.publicRoutes { routes in
                routes.open(.get, "/v1/touch") { call in
                    let count = try await database.query(Self.touch, Int64(1)).value(as: Int64.self)
                    _ = try await redis.run(RedisCommand("INCR", ["touched"]))
                    return call.reply { json in json.value(count) }
                }
            }
        }
        let tally = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.callers { group.addTask { await Self.keepCalling(service, tally) } }
            try await eventually("a load") { tally.answered(200) > 100 }
            do {
                try await body(cluster, redis, tally)
                // It resumes without help, for all callers.
                let before = tally.answered(200)
                try await eventually(within: .seconds(60), "a resumption") { tally.answered(200) > before + 200 }
            } catch {
                tally.end()
                throw error
            }
            tally.end()
            try await group.waitForAll()
        }
        #expect(tally.unanswered == [])
        #expect(tally.statuses.isSubset(of: [200, 503]), "\(tally.statuses)")
        #expect(tally.slowest < Self.deadline, "a call took \(tally.slowest)")
        await service.stop()
        await redis.stop()
        await cluster.stop()
    }

    private static func keepCalling(_ service: ServiceUnderTest, _ tally: Tally) async {
        let clock = ContinuousClock()
        while !tally.isOver, !Task.isCancelled {
            let start = clock.now
            do {
                let status = try await service.call("GET", "/v1/touch").status
                tally.count(status, after: clock.now - start)
                // A caller that gets Retry-After retries.
                if status != 200 { try await pause(for: .milliseconds(20)) }
            } catch {
                tally.unanswered(error)
            }
        }
    }

    @Test("Every call is answered within its deadline while Postgres is restarted, and service then resumes")
    func postgres() async throws {
        try await withLoad { cluster, _, tally in
            await cluster.kill()
            let before = tally.answered(503)
            try await eventually("a refusal") { tally.answered(503) > before + 10 }
            try await cluster.start()
        }
    }

    @Test("Every call is answered within its deadline while Redis is restarted, and service then resumes")
    func redis() async throws {
        try await withLoad { _, redis, tally in
            await redis.kill()
            let before = tally.answered(503)
            try await eventually("a refusal") { tally.answered(503) > before + 10 }
            try await redis.start()
        }
    }
}
