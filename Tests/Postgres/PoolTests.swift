import EventLoop
import Postgres
import Synchronization
import TestSupport
import Testing

@Suite struct PoolTests {
    @Test("Connections are opened when they are needed, up to the limit")
    func laziness() async throws {
        try await Database.use(loops: 2, { $0.connectionsPerLoop = 3 }) { pool, home in
            let before = try await home.sessions()
            try await pool.query(SQL.one)
            let first = try await home.sessions()
            try await withThrowingTaskGroup { group in
                // Statements that wait for the lock keep their connections busy until the limit is reached.
                try await pool.transaction { holder in
                    try await holder.execute(SQL.lock)
                    for _ in 0..<1_000 { group.addTask { try await pool.query(SQL.waitForLock).count } }
                    try await eventually("3 sessions") { try await home.sessions() == 3 }
                }
                try await group.waitForAll()
            }
            let all = try await home.sessions()
            #expect(before == 0 && first == 1 && all == 3)
        }
    }

    @Test("Sessions do not compile statements")
    func compilation() async throws {
        try await Database.use { pool, _ in
            let setting = try await pool.query(SQL.compilation).value(as: String.self)
            #expect(setting == "off")
        }
    }

    @Test("Unused connections are closed, except for one")
    func idleness() async throws {
        try await Database.use({ $0.idleTimeout = .milliseconds(200) }) { pool, home in
            try await pool.transaction { outer in
                try await outer.query(SQL.one)
                try await pool.transaction { inner in _ = try await inner.query(SQL.one) }
            }
            try await eventually { try await home.sessions() == 1 }
            let one = try await pool.query(SQL.one).value(as: Int.self)
            #expect(one == 1)
        }
    }

    @Test("The pool serves tasks that do not run on a loop")
    func elsewhere() async throws {
        try await Database.use { pool, home in
            try await home.server.run(sql: SQL.notes)
            let task = Task.detached {
                try await pool.transaction { tx in try await tx.execute(SQL.insert, 1) }
                return try await pool.query(SQL.count).value(as: Int.self)
            }
            let count = try await task.value
            #expect(count == 1)
        }
    }

    @Test("The server can be reached by a Unix socket and by a host name")
    func addresses() async throws {
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        let strings = [
            database.cluster.connectionString(database: database.name, overSocket: true),
            "host=localhost port=\(database.cluster.port) user=postgres dbname=\(database.name)",
            "postgres://postgres@127.0.0.1:1,localhost:\(database.cluster.port)/\(database.name)",
        ]
        for string in strings {
            try await Database.use(on: database, { $0.connectionString = string }) { pool, _ in
                let one = try await pool.query(SQL.one).value(as: Int.self)
                #expect(one == 1)
            }
        }
    }

    @Test("If no server answers, the caller gets the reason after its wait, without the password")
    func unreachable() async throws {
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        let strings = [
            "postgres://me:geheim@127.0.0.1:\(FreePort.pick())/x", "postgres://me:geheim@nowhere.invalid/x",
            "postgres://nobody:geheim@127.0.0.1:\(database.cluster.port)/x", "nonsense geheim",
        ]
        for string in strings {
            try await Database.use(
                on: database,
                {
                    $0.connectionString = string
                    $0.waitTimeout = .seconds(1)
                }
            ) { pool, _ in
                let error = try await failure { try await pool.query(SQL.one) }
                #expect(error.kind == .unavailable)
                #expect(!error.message.isEmpty)
                #expect(!"\(error)".contains("geheim"))
                let second = try await failure { try await pool.transaction { tx in try await tx.query(SQL.one) } }
                #expect(second.kind == .unavailable)
            }
        }
    }

    @Test("A server that accepts and sends nothing does not block a caller beyond its wait")
    func silence() async throws {
        let listener = try SilentListener()
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        try await Database.use(
            on: database,
            {
                $0.connectionString = "postgres://postgres@127.0.0.1:\(listener.port)/x"
                $0.connectTimeout = .milliseconds(100)
                $0.waitTimeout = .seconds(1)
            }
        ) { pool, _ in
            let error = try await failure { try await pool.query(SQL.one) }
            #expect(error.kind == .unavailable && error.message.contains("0.1"))
        }
    }

    @Test("Closing the pool answers all callers")
    func closing() async throws {
        try await Database.use({ $0.connectionsPerLoop = 2 }) { pool, home in
            try await pool.query(SQL.one)
            let sleepers = (0..<5).map { _ in
                Task(executorPreference: home.loops.loops[0]) { try await pool.query(SQL.sleep, 30.0) }
            }
            try await eventually { try await home.sessions(where: "wait_event = 'PgSleep'") > 0 }
            pool.close()
            for sleeper in sleepers {
                let error = try await failure { try await sleeper.value }
                #expect(error.kind == .connectionLost)
            }
            let error = try await failure { try await pool.query(SQL.one) }
            #expect(error.kind == .closed)
            try await eventually { try await home.sessions(where: "wait_event = 'ClientRead'") == 0 }
        }
    }

    private static let slowInsert = Statement.write("slow insert", "insert into notes (id) select wait_at_gate()")

    /// The insert waits until the table has a row.
    private static let gate = """
        create table gate (is_open boolean);
        create function wait_at_gate() returns bigint language plpgsql as $$ begin
            while not exists (select from gate) loop perform pg_sleep(0.01); end loop;
            return 1;
        end $$;
        """

    @Test("The outcome of a write that is in flight when the pool closes is unknown: the server may commit it")
    func closingDuringWrite() async throws {
        try await Database.use { pool, home in
            try await home.server.run(sql: SQL.notes + "; " + Self.gate)
            let write = Task(executorPreference: home.loops.loops[0]) { try await pool.execute(Self.slowInsert) }
            try await eventually { try await home.sessions(where: "wait_event = 'PgSleep'") == 1 }
            pool.close()
            let error = try await failure { try await write.value }
            #expect(error.isOutcomeUnknown)
            try await home.server.run(sql: "insert into gate values (true)")
            try await eventually { try await home.server.run(sql: "select count(*) from notes") == "1\n" }
        }
    }

    @Test("While the server refuses another connection, transactions use the open ones, also if those are never empty")
    func refusedConnection() async throws {
        let server = try await PostgresCluster.ofThisProcess().makeDatabase()
        let role = server.name + "_limited"
        try await server.run(sql: "create role \(role) login connection limit 1")
        let wait = Duration.seconds(5).patiently
        try await Database.use(
            on: server,
            {
                $0.connectionString = server.connectionString(user: role)
                $0.connectionsPerLoop = 2
                $0.waitTimeout = wait
            }
        ) { pool, home in
            try await pool.query(SQL.one)
            // It ends after the wait of the transaction would be over.
            let time = Double(2 * wait.components.seconds)
            let sleeper = Task(executorPreference: home.loops.loops[0]) { try await pool.query(SQL.sleep, time) }
            try await eventually { try await home.sessions(where: "wait_event = 'PgSleep'") == 1 }
            let one = try await pool.transaction { tx in try await tx.query(SQL.one).value(as: Int.self) }
            #expect(one == 1)
            _ = try await sleeper.value
        }
    }

    @Test("A call of a traced task is reported with the names of its statements, and a call of another task is not")
    func traces() async throws {
        let reports = Mutex<[StatementReport]>([])
        try await Database.use({
            $0.beginTrace = {
                guard Traced.isOn else { return nil }
                return { report in reports.withLock { $0.append(report) } }
            }
        }) { pool, home in
            try await pool.query(SQL.one)
            try await Traced.$isOn.withValue(true) {
                _ = try? await pool.query(SQL.divide, 0)
                try await pool.transaction { tx in try await tx.query(SQL.one) }
            }
            _ = try? await pool.query(SQL.divide, 0)
            let seen = reports.withLock(\.self)
            #expect(seen.map(\.name) == ["divide", SQL.one.name, "commit"])
            #expect(seen.map(\.names.count) == [1, 2, 1])
            #expect(seen[0].error?.sqlState == "22012")
        }
    }

    private enum Traced {
        @TaskLocal static var isOn = false
    }

    @Test("Every call is reported with its name, its row count and its failure")
    func reports() async throws {
        let reports = Mutex<[StatementReport]>([])
        try await Database.use({ $0.onStatement = { report in reports.withLock { $0.append(report) } } }) {
            pool, home in
            try await pool.query(Statement.read("three", "select generate_series(1, 3)"))
            _ = try? await pool.query(SQL.divide, 0)
            let seen = reports.withLock(\.self)
            #expect(seen.map(\.name) == ["three", "divide"])
            #expect(seen.map(\.rows) == [3, 0])
            #expect(seen[0].error == nil && seen[1].error?.sqlState == "22012")
            #expect(seen[0].duration > .zero)
        }
    }
}
