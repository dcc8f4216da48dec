import EventLoop
public import Postgres
public import TestSupport

/// Connection pools to test databases, on loops of their own.
public enum Pools {
    /// Runs `body` with a pool on a loop.
    ///
    /// - Parameter schema: the search path of the service; nil for a foreign client without one.
    @discardableResult
    public static func use<Result: Sendable>(
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
