/// Runs statements: the pool, which runs each one in its own transaction, or an open transaction.
///
/// A store function that may be part of a larger transaction takes `some Queryable`.
public protocol Queryable: Sendable {
    /// Runs a statement with encoded parameters.
    func run(
        _ statement: Statement, with parameters: PostgresParameters
    ) async throws(PostgresError) -> Rows

    /// Runs the statements of a batch in one round trip; all of them take effect or none.
    ///
    /// - Returns: the rows of each statement in order.
    /// - Throws: the first failure, with the name of the failed statement.
    @discardableResult
    func run(_ batch: PostgresBatch) async throws(PostgresError) -> [Rows]
}

extension Queryable {
    /// Runs a statement and returns its rows.
    @discardableResult
    public func query<each Value: PostgresValue>(
        _ statement: Statement, _ values: repeat each Value
    ) async throws(PostgresError) -> Rows {
        try await run(statement, with: try PostgresParameters(repeat each values))
    }

    /// Runs a statement and returns the number of affected rows.
    @discardableResult
    public func execute<each Value: PostgresValue>(
        _ statement: Statement, _ values: repeat each Value
    ) async throws(PostgresError) -> Int {
        try await run(statement, with: try PostgresParameters(repeat each values)).affected
    }
}

/// Statements that are sent together and committed together.
///
/// Each statement sees the effects of those before it and takes a fresh snapshot when it starts: one may lock rows, and the
/// next one reads the data committed during the wait for the lock.
public struct PostgresBatch: Sendable {
    private(set) var steps: [Request.Step] = []

    /// An empty batch.
    public init() {}

    /// The number of statements.
    public var count: Int { steps.count }

    /// Adds a statement.
    public mutating func add<each Value: PostgresValue>(
        _ statement: Statement, _ values: repeat each Value
    ) throws(PostgresError) {
        steps.append(Request.Step(statement: statement, parameters: try PostgresParameters(repeat each values)))
    }
}
