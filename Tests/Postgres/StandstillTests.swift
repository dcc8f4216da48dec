import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Postgres

/// A process that stood still finds all its time limits passed, although its server is well.
@Suite struct StandstillTests {
    private static let sleep = Statement.read("sleep", "select pg_sleep(600)")

    @Test("A process that stood still while it asked a silent host for a sign of life asks again")
    func stoodStill() async throws {
        let cluster = try await PostgresCluster.start()
        let database = try await cluster.makeDatabase()
        let limit = Duration.seconds(1).patiently
        try await Database.use(on: database, { ($0.connectTimeout, $0.silenceLimit) = (limit, limit) }) { pool, home in
            let loop = home.loops.loops[0]
            let sleeping = Task(executorPreference: loop) { try await pool.query(Self.sleep) }
            try await eventually { try await home.sessions(where: "wait_event = 'PgSleep'") == 1 }
            cluster.signalAll(SIGSTOP)
            try await eventually { await Task(executorPreference: loop) { pool.core.nearest.probe != nil }.value }
            cluster.signalAll(SIGCONT)
            let time = UInt32(limit / .microseconds(1) * 2.5)
            _ = await Task(executorPreference: loop) { usleep(time) }.value
            try await eventually { await Task(executorPreference: loop) { pool.core.nearest.probe == nil }.value }
            try await cluster.run(
                sql: "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep'")
            let error = try await failure { try await sleeping.value }
            // The server has cancelled it.
            #expect(error.sqlState == "57014", "\(error)")
        }
        await cluster.stop()
    }
}
