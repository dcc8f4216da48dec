internal import EventLoop

extension PostgresPool {
    /// Runs `body` in a transaction on a connection of its own: commits when it returns, rolls back when it throws.
    ///
    /// Returns once the commit is durable. Waits for a free connection as long as `waitTimeout` and the deadline allow;
    /// the deadline counts for each statement anew. `body` must not use the pool itself for what belongs to the
    /// transaction.
    ///
    /// - Parameter attempts: how often it is tried at most when the server asks for another try (serialization failure,
    ///   deadlock); then `body` runs again from its beginning.
    @discardableResult
    public func transaction<Result>(
        _ isolation: Isolation = .readCommitted, attempts: Int = 1,
        _ body: (PostgresTransaction) async throws -> Result
    ) async throws -> Result {
        var attempt = 1
        while true {
            do {
                return try await attemptTransaction(isolation, body)
            } catch let error as PostgresError where error.isTransient && attempt < attempts {
                try await core.current.loop.sleep(for: Self.pause(after: attempt))
                attempt += 1
            }
        }
    }

    private func attemptTransaction<Result>(
        _ isolation: Isolation, _ body: (PostgresTransaction) async throws -> Result
    ) async throws -> Result {
        let pool = core.current
        let connection = try await pool.lease(within: deadline)
        let lease = Lease(connection, of: pool, isolation, deadline: deadline)
        do {
            let result = try await body(PostgresTransaction(lease: lease))
            try await lease.commit()
            return result
        } catch {
            lease.rollBack()
            throw error
        }
    }

    /// Longer with each attempt, and random, so that two transactions do not meet again.
    private static func pause(after attempt: Int) -> Duration {
        .milliseconds(Int.random(in: 1...(4 << min(attempt, 6))))
    }
}
