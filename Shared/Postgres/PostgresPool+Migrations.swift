internal import EventLoop
internal import Wire

extension PostgresPool {
    /// Applies the `migrations` that `schema` lacks and records them in its table `schema_migrations`.
    ///
    /// Each migration, or each portion of one, runs in its own transaction under an advisory lock, so that several instances may
    /// start at once. Applied migrations are compared by checksum, and an unknown newer one is refused. The pool's role must own the
    /// schema or be allowed to create it. A migration gives up the locks that it has while it waits for another one, and is tried
    /// again, so that running services are not held up.
    ///
    /// - Parameters:
    ///   - distribution: divides the tables after the migrations; nil for tables on one server.
    ///   - deadline: for each migration or portion, including the wait for the lock, and for the division of the tables.
    /// - Returns: how many were applied.
    /// - Throws: `MigrationError`, or `PostgresError` if the server cannot be reached.
    @discardableResult
    public func migrate(
        _ schema: String, _ migrations: [Migration], dividing distribution: Distribution? = nil,
        deadline: Duration = .seconds(600)
    ) async throws -> Int {
        for (earlier, later) in zip(migrations, migrations.dropFirst()) where earlier.number >= later.number {
            throw MigrationError.unordered(later.number)
        }
        let history = MigrationHistory(schema: schema, sendsEachAlone: distribution != nil)
        let patient = within(deadline)
        let last = try await patient.transaction { tx in
            try await distribution?.checkExtension(in: tx)
            try await history.create(in: tx)
            return try await history.last(in: tx)
        }
        if let last, last > migrations.last?.number ?? 0 { throw MigrationError.newer(last) }
        var applied = 0
        for migration in migrations {
            do {
                if try await patient.apply(migration, to: history) { applied += 1 }
            } catch let error as PostgresError where error.kind == .server {
                throw MigrationError.failed(migration.number, name: migration.name, error)
            }
        }
        if let distribution {
            try await patient.transaction { tx in
                try await history.lock(in: tx)
                try await distribution.divide(in: tx)
            }
        }
        return applied
    }

    /// The attempts for the locks of a migration, and the pause after each: about four minutes together.
    private static let lockAttempts = 500, lockPause = Duration.milliseconds(300)

    private func apply(_ migration: Migration, to history: MigrationHistory) async throws -> Bool {
        var attempt = 1
        while true {
            do {
                let outcome = try await transaction { tx in try await history.apply(migration, in: tx) }
                switch outcome {
                case .applied: return true
                case .known: return false
                case .begun: attempt = 1
                }
            } catch let error as PostgresError
                where (error.isLockTimeout || error.isDeadlock) && attempt < Self.lockAttempts
            {
                try await core.nearest.loop.sleep(for: Self.lockPause)
                attempt += 1
            }
        }
    }
}
