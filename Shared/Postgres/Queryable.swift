/// What answers statements: the pool, each in a transaction of its own, or one open transaction.
///
/// A store function that may be part of a larger transaction takes `some Queryable`.
public protocol Queryable: Sendable {
    /// Runs a statement with parameters that are encoded already.
    func run(
        _ statement: Statement, with parameters: PostgresParameters
    ) async throws(PostgresError) -> Rows

    /// Runs the statements of a batch in one round trip; all take effect or none does.
    ///
    /// - Returns: the rows of each statement, in order.
    /// - Throws: the first failure, with the name of its statement.
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

    /// Runs a statement and returns how many rows it touched.
    @discardableResult
    public func execute<each Value: PostgresValue>(
        _ statement: Statement, _ values: repeat each Value
    ) async throws(PostgresError) -> Int {
        try await run(statement, with: try PostgresParameters(repeat each values)).affected
    }
}

/// Statements that travel together, with one commit for all.
///
/// Each sees what those before it did, and takes a fresh snapshot when it starts: one may lock rows and the next read
/// what was committed while the lock was waited for.
public struct PostgresBatch: Sendable {
    private(set) var steps: [Request.Step] = []

    /// An empty batch.
    public init() {}

    /// How many statements there are.
    public var count: Int { steps.count }

    /// Adds a statement.
    public mutating func add<each Value: PostgresValue>(
        _ statement: Statement, _ values: repeat each Value
    ) throws(PostgresError) {
        steps.append(Request.Step(statement: statement, parameters: try PostgresParameters(repeat each values)))
    }
}
