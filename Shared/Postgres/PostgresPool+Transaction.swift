internal import EventLoop

extension PostgresPool {
    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws.
    ///
    /// The transaction uses one connection alone and waits for it as long as `waitTimeout` and the deadline allow. The
    /// deadline applies to each statement. The method returns once the commit is durable. `body` must run its statements
    /// on the transaction, not on the pool.
    ///
    /// - Parameter attempts: the most attempts after a transient failure (serialization failure, deadlock); each attempt
    ///   runs `body` from its beginning.
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
                try await core.nearest.loop.sleep(for: Self.pause(after: attempt))
                attempt += 1
            }
        }
    }

    /// Runs a batch within BEGIN and COMMIT, in one round trip.
    func runBegun(_ batch: PostgresBatch) async throws(PostgresError) -> [Rows] {
        let pool = core.nearest
        let lease = Lease(try await pool.lease(within: deadline), of: pool, .readCommitted, deadline: deadline)
        do {
            return try await lease.commit(after: batch.steps)
        } catch {
            lease.rollBack()
            throw error
        }
    }

    private func attemptTransaction<Result>(
        _ isolation: Isolation, _ body: (PostgresTransaction) async throws -> Result
    ) async throws -> Result {
        let pool = core.nearest
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

    /// A random pause that grows with each attempt, so that two transactions do not collide again.
    private static func pause(after attempt: Int) -> Duration {
        .milliseconds(Int.random(in: 1...(4 << min(attempt, 6))))
    }
}
