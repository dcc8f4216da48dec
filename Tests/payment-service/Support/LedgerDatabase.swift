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
