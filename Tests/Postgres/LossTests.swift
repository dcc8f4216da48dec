import EventLoop
import Glibc
import Postgres
import TestSupport
import Testing
import Wire

/// The behaviour when the server goes away; each test has its own server.
@Suite struct LossTests {
    @Test("All callers on a lost connection get an error, and the next call uses a new connection")
    func terminated() async throws {
        try await Database.use({ $0.connectionsPerLoop = 1 }) { pool, home in
            let session = try await pool.query(SQL.session).value(as: Int.self)
            let sleepers = (0..<20).map { _ in
                Task(executorPreference: home.loops.loops[0]) { try await pool.query(SQL.sleep, 30.0) }
            }
            try await eventually { try await home.sessions(where: "wait_event = 'PgSleep'") == 1 }
            try await home.server.run(sql: "select pg_terminate_backend(\(session))")
            for sleeper in sleepers {
                let error = try await failure { try await sleeper.value }
                #expect(error.kind == .connectionLost && error.isOutcomeUnknown)
            }
            let next = try await pool.query(SQL.session).value(as: Int.self)
            #expect(next != session)
        }
    }

    @Test("A server that closes each connection is retried after growing pauses, for any number of callers")
    func backOff() async throws {
        let listener = try ClosingListener()
        let (loops, blocking) = (EventLoopGroup(count: 1), BlockingPool(threads: 1, limit: 16))
        let start = ContinuousClock.now
        let pool = PostgresPool(
            PostgresConfiguration("postgres://a@127.0.0.1:\(listener.port)/b?sslmode=disable&gssencmode=disable"),
            on: loops, blocking: blocking)
        let callers = (0..<8).map { _ in
            Task(executorPreference: loops.loops[0]) {
                while !Task.isCancelled {
                    _ = try? await pool.query(SQL.one)
                    try await loops.loops[0].sleep(for: .milliseconds(1))
                }
            }
        }
        try await eventually("six attempts") { listener.accepted.count >= 6 }
        for caller in callers { caller.cancel() }
        for caller in callers { _ = await caller.result }
        // Five pauses of 50, 100, 200, 400 and 800 ms; jitter takes at most half of each.
        #expect(listener.accepted[5] - start >= .milliseconds(775))
        pool.close()
        await onOwnThread { loops.stop() }
        blocking.stop()
        listener.stop()
    }

    @Test("Connections that fail together share one pause")
    func sharedPause() async throws {
        let listener = try ClosingListener()
        let (loops, blocking) = (EventLoopGroup(count: 1), BlockingPool(threads: 1, limit: 16))
        var configuration = PostgresConfiguration(
            "postgres://a@127.0.0.1:\(listener.port)/b?sslmode=disable&gssencmode=disable")
        configuration.connectionsPerLoop = 4
        configuration.waitTimeout = .seconds(30).patiently
        configuration.backoff = Backoff(first: .seconds(1), limit: .seconds(1))
        let start = ContinuousClock.now
        let pool = PostgresPool(configuration, on: loops, blocking: blocking)
        // They begin in one turn of the loop, and each waits for a connection of its own.
        let callers = try await loops.loops[0].run {
            (0..<4).map { _ in
                Task.immediate(executorPreference: loops.loops[0]) {
                    try await pool.transaction { tx in try await tx.query(SQL.one).count }
                }
            }
        }
        try await eventually("two attempts after the first four") { listener.accepted.count >= 6 }
        // Two pauses of a second; jitter takes at most half of each.
        #expect(listener.accepted[5] - start >= .seconds(1))
        pool.close()
        for caller in callers { _ = await caller.result }
        await onOwnThread { loops.stop() }
        blocking.stop()
        listener.stop()
    }

    @Test("No caller notices that an idle connection was lost")
    func terminatedIdle() async throws {
        try await Database.use { pool, home in
            let session = try await pool.query(SQL.session).value(as: Int.self)
            try await home.server.run(sql: "select pg_terminate_backend(\(session))")
            try await eventually { try await home.sessions() == 0 }
            // The end of its session comes to the pool a moment later.
            try await eventually("a pool without a connection") { await pool.usage().open == 0 }
            let next = try await pool.query(SQL.session).value(as: Int.self)
            #expect(next != session)
        }
    }

    @Test("A transaction on a lost connection fails, and the connection is not used again")
    func terminatedTransaction() async throws {
        try await Database.use { pool, home in
            try await home.server.run(sql: SQL.notes)
            let error = try await failure {
                try await pool.transaction { tx in
                    let session = try await tx.query(SQL.session).value(as: Int.self)
                    try await tx.execute(SQL.insert, 1)
                    try await home.server.run(sql: "select pg_terminate_backend(\(session))")
                    try await tx.execute(SQL.insert, 2)
                }
            }
            #expect(error.kind == .connectionLost)
            try await pool.transaction { tx in try await tx.execute(SQL.insert, 3) }
            let count = try await pool.query(SQL.count).value(as: Int.self)
            #expect(count == 1)
        }
    }

    @Test(
        "When the server restarts or crashes under load, calls are answered in time, service resumes, and no write is lost",
        arguments: ["restart", "crash"])
    func restart(how: String) async throws {
        let cluster = try await PostgresCluster.start()
        let database = try await cluster.makeDatabase()
        try await database.run(sql: SQL.notes)
        try await Database.use(on: database, loops: 2, { $0.deadline = .seconds(4).patiently }) { pool, home in
            let log = CallLog()
            let callers = (0..<40).map { number in
                Task(executorPreference: home.loops[any: number]) {
                    while !Task.isCancelled { await log.record { try await pool.execute(SQL.insert, $0) } }
                }
            }
            defer { for caller in callers { caller.cancel() } }
            try await eventually { await log.acknowledged.count > 1_000 }
            if how == "crash" { await cluster.kill() } else { await cluster.stop() }
            try await eventually { await log.failures > 0 }
            try await cluster.start()
            let before = await log.acknowledged.count
            try await eventually { await log.acknowledged.count > before + 1_000 }
            for caller in callers { caller.cancel() }
            for caller in callers { await caller.value }
            let (acknowledged, longest) = (await log.acknowledged, await log.longest)
            #expect(longest < .seconds(18).patiently, "the deadline, and a machine that stands still")
            let stored = Set(try await pool.query(Self.ids).map { try $0.next(as: Int.self) })
            #expect(acknowledged.subtracting(stored).isEmpty)
        }
        await cluster.stop()
    }

    private static let ids = Statement.read("ids", "select id from notes")

    @Test("While the server is stopped, calls are answered at their deadline; they succeed again when it continues")
    func standstill() async throws {
        let cluster = try await PostgresCluster.start()
        let database = try await cluster.makeDatabase()
        try await Database.use(
            on: database,
            {
                $0.deadline = .seconds(1).patiently
                $0.waitTimeout = $0.deadline
                $0.stallLimit = .seconds(1).patiently
                $0.connectTimeout = .seconds(1).patiently
            }
        ) { pool, _ in
            // On a machine that stands still a call may take longer than the deadline.
            var found: Int32?
            for _ in 0..<100 where found == nil {
                found = try? await pool.query(SQL.session).value(as: Int32.self)
            }
            let session = try #require(found)
            cluster.signal(SIGSTOP)
            kill(session, SIGSTOP)
            let start = ContinuousClock.now
            for _ in 0..<4 {
                let error = try await failure { try await pool.query(SQL.one) }
                #expect([.timeout, .unavailable, .connectionLost, .exhausted].contains(error.kind))
            }
            #expect(ContinuousClock.now - start < .seconds(20).patiently)
            kill(session, SIGCONT)
            cluster.signal(SIGCONT)
            try await eventually { (try? await pool.query(SQL.one)) != nil }
        }
        await cluster.stop()
    }
}

/// The results that callers have received.
actor CallLog {
    private var calls = 0
    private(set) var acknowledged: Set<Int> = []
    private(set) var failures = 0
    private(set) var longest = Duration.zero

    /// Makes a call with a unique number and records its result.
    func record(_ call: @Sendable (Int) async throws -> Int) async {
        calls += 1
        let number = calls
        let start = ContinuousClock.now
        let isAcknowledged = (try? await call(number)) != nil
        longest = max(longest, ContinuousClock.now - start)
        if isAcknowledged { acknowledged.insert(number) } else { failures += 1 }
    }
}
