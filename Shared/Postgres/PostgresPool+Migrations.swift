internal import Wire

extension PostgresPool {
    /// Brings `schema` to the state that `migrations` describe and records them in its table `schema_migrations`.
    ///
    /// Each is applied in a transaction of its own under an advisory lock, so that several instances may start at once;
    /// those applied before are compared by checksum. The pool's role must own the schema, or be allowed to create it.
    ///
    /// - Parameter deadline: for each migration, waiting for the lock included.
    /// - Returns: how many were applied.
    /// - Throws: `MigrationError`; or `PostgresError` where the server cannot be asked.
    @discardableResult
    public func migrate(
        _ schema: String, _ migrations: [Migration], deadline: Duration = .seconds(600)
    ) async throws -> Int {
        for (earlier, later) in zip(migrations, migrations.dropFirst()) where earlier.number >= later.number {
            throw MigrationError.unordered(later.number)
        }
        let history = MigrationHistory(schema: schema)
        let patient = within(deadline)
        try await patient.transaction { tx in try await history.create(in: tx) }
        var applied = 0
        for migration in migrations {
            do {
                let isNew = try await patient.transaction { tx in
                    try await history.apply(migration, in: tx)
                }
                if isNew { applied += 1 }
            } catch let error as PostgresError where error.kind == .server {
                throw MigrationError.failed(migration.number, name: migration.name, error)
            }
        }
        return applied
    }
}
