/// A migration that a schema has.
public struct AppliedMigration: Sendable, Equatable {
    public let number: Int
    public let name: String
    /// Milliseconds since 1970.
    public let appliedAt: Int64
}

extension PostgresPool {
    /// The migrations that `schema` has, in order.
    public func appliedMigrations(of schema: String) async throws -> [AppliedMigration] {
        let history = MigrationHistory(schema: schema)
        return try await query(history.all).map { row throws(PostgresError) in
            AppliedMigration(
                number: Int(try row.next(as: Int64.self)), name: try row.next(), appliedAt: try row.next())
        }
    }
}
