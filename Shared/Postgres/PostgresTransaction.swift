/// An open transaction; valid until the closure that received it returns.
public struct PostgresTransaction: Queryable {
    let lease: Lease

    public func run(
        _ statement: Statement, with parameters: PostgresParameters
    ) async throws(PostgresError) -> Rows {
        let step = Request.Step(statement: statement, parameters: parameters)
        return try await lease.perform(.one(step)).rows
    }

    @discardableResult
    public func run(_ batch: PostgresBatch) async throws(PostgresError) -> [Rows] {
        if batch.steps.isEmpty { return [] }
        return try await lease.perform(.batch(batch.steps)).lists
    }

    /// Runs the statements of a batch and commits in the same round trip. The transaction is over then: nothing more runs in
    /// it, and an error of its closure does not roll it back.
    @discardableResult
    public func commit(after batch: PostgresBatch) async throws(PostgresError) -> [Rows] {
        try await lease.commit(after: batch.steps)
    }
}

extension PostgresTransaction {
    /// Runs a text of several statements without parameters; for migrations.
    func run(script text: String) async throws(PostgresError) {
        try await lease.run(script: text)
    }
}
