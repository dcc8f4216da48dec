import EventLoop
import Postgres
import TestSupport
import Testing

/// A pool with its own loops and its own empty database.
final class Database: Sendable {
    let loops: EventLoopGroup
    let pool: PostgresPool
    let server: TestDatabase
    private let blocking = BlockingPool(threads: 2, limit: 64)

    init(_ server: TestDatabase, loops count: Int = 1, _ adjust: (inout PostgresConfiguration) -> Void = { _ in }) {
        self.server = server
        loops = EventLoopGroup(count: count)
        var configuration = PostgresConfiguration(server.connectionString)
        // Tests run in parallel on a busy machine; tests about time-outs set shorter ones.
        configuration.deadline = .seconds(30).patiently
        configuration.statementTimeout = .seconds(30).patiently
        configuration.idleInTransactionTimeout = .seconds(90).patiently
        configuration.waitTimeout = .seconds(30).patiently
        configuration.connectTimeout = .seconds(30).patiently
        configuration.stallLimit = .seconds(10).patiently
        adjust(&configuration)
        pool = PostgresPool(configuration, on: loops, blocking: blocking)
    }

    /// Runs `body` on a loop, as for a request, with an empty database or the given one.
    static func use(
        on server: TestDatabase? = nil, loops: Int = 1, _ adjust: (inout PostgresConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (PostgresPool, Database) async throws -> Void
    ) async throws {
        let database: TestDatabase
        if let server { database = server } else { database = try await PostgresCluster.ofThisProcess().makeDatabase() }
        let home = Database(database, loops: loops, adjust)
        do {
            try await home.loops.loops[0].run { try await body(home.pool, home) }
        } catch {
            await home.close()
            throw error
        }
        await home.close()
    }

    func close() async {
        pool.close()
        await onOwnThread { [self] in
            loops.stop()
            blocking.stop()
        }
    }

    /// A number from the server's view of the sessions of this database.
    func sessions(where condition: String = "true") async throws -> Int {
        let text = try await server.cluster.run(
            sql: "select count(*) from pg_stat_activity where datname = '\(server.name)' and \(condition)")
        return try #require(Int(text.dropLast()))
    }
}

/// Returns the error that `body` throws; the test fails if it throws none.
func failure<Value>(
    of body: () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> PostgresError {
    do {
        _ = try await body()
    } catch let error as PostgresError {
        return error
    }
    try #require(Bool(false), "no error was thrown", sourceLocation: sourceLocation)
    preconditionFailure()
}

/// Statements that several suites use. Those that block or take locks are writes, so that they never share a sync.
enum SQL {
    static let one = Statement.read("one", "select 1::int8")
    static let echo = Statement.read("echo", "select $1::int8")
    static let divide = Statement.read("divide", "select 6 / $1::int8")
    static let sleep = Statement.write("sleep", "select pg_sleep($1)")
    static let lock = Statement.write("lock", "select pg_advisory_xact_lock(1)")
    static let waitForLock = Statement.write("wait for lock", "select pg_advisory_xact_lock_shared(1)")
    static let session = Statement.write("session", "select pg_backend_pid()")
    static let compilation = Statement.read("compilation", "select current_setting('jit')")
    static let notes = "create table notes (id int8 primary key, body text)"
    static let insert = Statement.write("insert note", "insert into notes (id) values ($1)")
    static let count = Statement.read("count notes", "select count(*) from notes")
}
