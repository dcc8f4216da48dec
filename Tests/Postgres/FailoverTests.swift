import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Postgres

/// A pool with several hosts, of which one can write; each test has its own servers.
@Suite struct FailoverTests {
    private static let isInRecovery = Statement.read("recovery", "select pg_is_in_recovery()")
    private static let ids = Statement.read("ids", "select id from notes")

    private static let slowInsert = Statement.write(
        "slow insert", "with slept as materialized (select pg_sleep(1)) insert into notes (id) select 1 from slept")

    /// The time after which tests with a frozen server give it up.
    private static let soon = Duration.seconds(1).patiently

    /// Runs `body` with a pool for the servers at these ports.
    private func use(
        ports: [UInt16], of database: TestDatabase, _ adjust: (inout PostgresConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (PostgresPool, Database) async throws -> Void
    ) async throws {
        let hosts = ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
        try await Database.use(
            on: database,
            {
                $0.connectionString = "postgres://postgres@\(hosts)/\(database.name)"
                adjust(&$0)
            }, body)
    }

    /// A database on a primary with a replica that has it too.
    private func pair() async throws -> (primary: PostgresCluster, replica: PostgresCluster, TestDatabase) {
        let primary = try await PostgresCluster.start()
        let database = try await primary.makeDatabase()
        try await database.run(sql: SQL.notes)
        let replica = try await primary.startReplica()
        return (primary, replica, database)
    }

    @Test("A host that can only read is passed over, and so is one that refuses connections")
    func readOnlyFirst() async throws {
        let (primary, replica, database) = try await pair()
        try await use(ports: [FreePort.pick(), replica.port, primary.port], of: database) { pool, _ in
            try await pool.execute(SQL.insert, 1)
            let usage = await pool.usage()
            #expect(usage.hosts.mapValues { $0 > 0 }["127.0.0.1:\(primary.port)"] == true)
        }
        await replica.stop()
        await primary.stop()
    }

    @Test("If no host can write, the error says of each host why")
    func noneCanWrite() async throws {
        let (primary, replica, database) = try await pair()
        await primary.stop()
        try await use(ports: [primary.port, replica.port], of: database, { $0.waitTimeout = .seconds(2).patiently }) {
            pool, _ in
            // A host that stands still for as long as the caller waits has no reason yet.
            try await eventually("the reasons of both hosts") {
                let error = try await failure { try await pool.execute(SQL.insert, 1) }
                return error.kind == .unavailable && error.message.contains("refused")
                    && error.message.contains("read-only")
            }
        }
        await replica.stop()
    }

    @Test("A connection string can ask for a host that only reads")
    func readsReplica() async throws {
        let (primary, replica, database) = try await pair()
        try await eventually { try await replica.run(sql: "select 1", database: database.name) == "1\n" }
        try await use(
            ports: [replica.port], of: database,
            { $0.connectionString = replica.connectionString(database: database.name) + "?target_session_attrs=any" }
        ) { pool, _ in
            #expect(try await pool.query(Self.isInRecovery).value(as: Bool.self))
            let error = try await failure { try await pool.execute(SQL.insert, 1) }
            #expect(error.kind == .unavailable && error.sqlState == "25006")
        }
        await replica.stop()
        await primary.stop()
    }

    @Test("A frozen first host delays a caller by its own time limit, not for ever")
    func frozenFirst() async throws {
        let (primary, replica, database) = try await pair()
        let frozen = try await PostgresCluster.start()
        frozen.signalAll(SIGSTOP)
        defer { frozen.signalAll(SIGCONT) }
        let ports = [frozen.port, replica.port, primary.port]
        try await use(ports: ports, of: database, { $0.connectTimeout = Self.soon }) { pool, _ in
            try await pool.execute(SQL.insert, 1)
        }
        await replica.stop()
        await primary.stop()
    }

    @Test(
        "Under load the pool follows a promoted replica when the primary is killed or frozen, and no write is lost",
        arguments: ["kill", "freeze"])
    func follows(how: String) async throws {
        let (primary, replica, database) = try await pair()
        // Like a synchronous cluster: a commit waits for the replica.
        try await primary.run(sql: "alter system set synchronous_standby_names = '*'")
        try await primary.run(sql: "select pg_reload_conf()")
        try await eventually {
            try await primary.run(sql: "select count(*) from pg_stat_replication where sync_state = 'sync'") == "1\n"
        }
        try await use(
            ports: [primary.port, replica.port], of: database,
            { ($0.connectionsPerLoop, $0.connectTimeout, $0.silenceLimit) = (2, Self.soon, Self.soon) }
        ) { pool, home in
            let log = CallLog()
            let callers = (0..<20).map { number in
                Task(executorPreference: home.loops[any: number]) {
                    while !Task.isCancelled { await log.record { try await pool.execute(SQL.insert, $0) } }
                }
            }
            defer { for caller in callers { caller.cancel() } }
            try await eventually { await log.acknowledged.count > 500 }
            if how == "kill" { await primary.kill() } else { primary.signalAll(SIGSTOP) }
            // No caller's deadline passes: the pool notices by itself.
            try await eventually { await log.failures > 0 }
            try await replica.promote()
            let before = await log.acknowledged.count
            try await eventually(within: .seconds(20)) { await log.acknowledged.count > before + 500 }
            for caller in callers { caller.cancel() }
            for caller in callers { await caller.value }
            let acknowledged = await log.acknowledged
            let stored = Set(try await pool.query(Self.ids).map { try $0.next(as: Int.self) })
            #expect(acknowledged.subtracting(stored).isEmpty)
            #expect(await pool.usage().failovers == 1)
        }
        primary.signalAll(SIGCONT)
        await replica.stop()
        await primary.stop()
    }

    @Test(
        "When a server becomes read-only, its sessions end, and writes are refused as unavailable until it can write again"
    )
    func becomesReadOnly() async throws {
        let cluster = try await PostgresCluster.start()
        let database = try await cluster.makeDatabase()
        try await database.run(sql: SQL.notes)
        try await use(ports: [cluster.port], of: database, { $0.waitTimeout = .seconds(2).patiently }) { pool, _ in
            try await pool.execute(SQL.insert, 1)
            try await cluster.run(sql: "alter system set default_transaction_read_only = on")
            try await cluster.run(sql: "select pg_reload_conf()")
            try await eventually { (try? await pool.execute(SQL.insert, Int.random(in: 10 ... .max))) == nil }
            let error = try await failure { try await pool.execute(SQL.insert, 3) }
            #expect(error.kind == .unavailable)
            try await cluster.run(sql: "alter system reset default_transaction_read_only")
            try await cluster.run(sql: "select pg_reload_conf()")
            try await eventually { (try? await pool.execute(SQL.insert, Int.random(in: 10 ... .max))) != nil }
        }
        await cluster.stop()
    }

    @Test("A session with a slow statement is not taken for a silent one, and stays open")
    func slow() async throws {
        try await Database.use({ $0.silenceLimit = .milliseconds(100) }) { pool, _ in
            let session = try await pool.query(SQL.session).value(as: Int.self)
            try await pool.query(SQL.sleep, 1.0)
            #expect(try await pool.query(SQL.session).value(as: Int.self) == session)
        }
    }

    @Test("A name that is not resolved in time ends no session of a server that answers")
    func slowNames() async throws {
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        let (loops, blocking) = (EventLoopGroup(count: 1), BlockingPool(threads: 1, limit: 64))
        var configuration = PostgresConfiguration(
            "host=localhost port=\(database.cluster.port) user=postgres dbname=\(database.name)")
        let limit = Duration.seconds(30).patiently
        (configuration.waitTimeout, configuration.deadline, configuration.statementTimeout) = (limit, limit, limit)
        configuration.connectTimeout = .milliseconds(200)
        configuration.silenceLimit = .milliseconds(100)
        let pool = PostgresPool(configuration, on: loops, blocking: blocking)
        // The only thread that resolves names reads from a pipe, which is empty until it is closed.
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        let outcome = await Task {
            try await loops.loops[0].run {
                // Names are still resolved here, so a server that stands still for a moment loses its session.
                var first: Int?
                for _ in 0..<100 where first == nil {
                    first = try? await pool.query(SQL.session).value(as: Int.self)
                }
                let session = try #require(first)
                let isBusy = blocking.submit {
                    var byte: UInt8 = 0
                    _ = read(reading, &byte, 1)
                    close(reading)
                }
                #expect(isBusy)
                try await pool.query(SQL.sleep, 1.0)
                #expect(try await pool.query(SQL.session).value(as: Int.self) == session)
            }
        }.result
        close(writing)
        pool.close()
        await onOwnThread { loops.stop() }
        blocking.stop()
        try outcome.get()
    }

    @Test("A commit that gave up waiting for its standby is not acknowledged")
    func unreplicated() async throws {
        let cluster = try await PostgresCluster.start()
        let database = try await cluster.makeDatabase()
        try await database.run(sql: SQL.notes)
        try await use(ports: [cluster.port], of: database) { pool, home in
            try await pool.query(SQL.one)
            try await cluster.run(sql: "alter system set synchronous_standby_names = 'missing'")
            try await cluster.run(sql: "select pg_reload_conf()")
            try await eventually { try await cluster.run(sql: "show synchronous_standby_names") == "missing\n" }
            // The server may commit writes without the standby until all its processes have read the setting.
            let writes = Task(executorPreference: home.loops.loops[0]) {
                for number in 1... { try await pool.execute(SQL.insert, number) }
            }
            try await eventually { try await home.sessions(where: "wait_event = 'SyncRep'") == 1 }
            try await cluster.run(
                sql: "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'")
            let error = try await failure { try await writes.value }
            #expect(error.kind == .connectionLost && error.isOutcomeUnknown)
        }
        await cluster.stop()
    }

    @Test("An abandoned write is not cancelled if there are several hosts")
    func keepsWaiting() async throws {
        let cluster = try await PostgresCluster.start()
        let database = try await cluster.makeDatabase()
        try await database.run(sql: SQL.notes)
        try await use(ports: [cluster.port, FreePort.pick()], of: database) { pool, _ in
            try await pool.query(SQL.one)
            let error = try await failure { try await pool.within(.milliseconds(100)).execute(Self.slowInsert) }
            #expect(error.kind == .timeout)
            try await eventually { try await pool.query(SQL.count).value(as: Int.self) == 1 }
        }
        await cluster.stop()
    }
}
