import EventLoop
import Postgres
import ServiceSupport
import TestSupport

@testable import payment_service

/// Test databases with the service's schema.
enum LedgerDatabase {
    /// Makes a database with accounts for the users 1, 2 and 3.
    static func make() async throws -> TestDatabase {
        let database = try await PostgresCluster.ofThisProcess().makeDatabase()
        try await Pools.use(database, schema: "payment") { pool in try await pool.migrate("payment", Migrations.all) }
        try await database.run(sql: "insert into payment.account (user_id) values (1), (2), (3)")
        return database
    }
}

extension PostgresPool {
    /// Returns the error of SQL in a session with the given replication role, the commit included; nil if it succeeds.
    func failure(of sql: String, as role: String = "origin") async -> PostgresError? {
        do {
            try await transaction { transaction in
                try await transaction.query(
                    Statement.write("role", unprepared: "set local session_replication_role = \(role)"))
                try await transaction.query(Statement.write("attack", unprepared: sql))
            }
            return nil
        } catch {
            return error as? PostgresError
        }
    }
}

/// Connection pools to test databases, on loops of their own.
enum Pools {
    /// Runs `body` with a pool on a loop.
    ///
    /// - Parameter schema: the search path of the service; nil for a foreign client without one.
    @discardableResult
    static func use<Result: Sendable>(
        _ database: TestDatabase, schema: String? = nil, loops count: Int = 1, connections: Int = 4,
        _ body: @escaping @Sendable (PostgresPool) async throws -> Result
    ) async throws -> Result {
        let loops = EventLoopGroup(count: count)
        let blocking = BlockingPool(threads: 2, limit: 64)
        var configuration = PostgresConfiguration(database.connectionString)
        configuration.waitPatiently()
        configuration.connectionsPerLoop = connections
        configuration.schema = schema
        let pool = PostgresPool(configuration, on: loops, blocking: blocking)
        let outcome = await Task { try await loops.loops[0].run { try await body(pool) } }.result
        pool.close()
        await onOwnThread {
            loops.stop()
            blocking.stop()
        }
        return try outcome.get()
    }
}
