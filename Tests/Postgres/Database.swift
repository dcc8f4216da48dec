import EventLoop
import Postgres
import TestSupport
import Testing

/// A pool on loops of its own, to an empty database of its own.
final class Database: Sendable {
    let loops: EventLoopGroup
    let blocking: BlockingPool
    let pool: PostgresPool
    let server: TestDatabase

    init(
        _ server: TestDatabase, loops count: Int = 1, _ adjust: (inout PostgresConfiguration) -> Void = { _ in }
    ) {
        self.server = server
        loops = EventLoopGroup(count: count)
        blocking = BlockingPool(threads: 2, limit: 64)
        var configuration = PostgresConfiguration(server.connectionString)
        adjust(&configuration)
        pool = PostgresPool(configuration, on: loops, blocking: blocking)
    }

    /// Runs `body` on a loop, as a request would.
    static func use<Result: Sendable>(
        on server: TestDatabase? = nil, loops: Int = 1, _ adjust: (inout PostgresConfiguration) -> Void = { _ in },
        _ body: @escaping @Sendable (PostgresPool, Database) async throws -> Result
    ) async throws -> Result {
        let database: TestDatabase
        if let server { database = server } else { database = try await PostgresCluster.ofThisProcess().makeDatabase() }
        let home = Database(database, loops: loops, adjust)
        let result = await home.loops.loops[0].runCatching { try await body(home.pool, home) }
        await home.close()
        return try result.get()
    }

    func close() async {
        pool.close()
        await onOwnThread { [self] in
            loops.stop()
            blocking.stop()
        }
    }
}

extension EventLoop {
    fileprivate func runCatching<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async -> Swift.Result<Result, any Error> {
        do { return .success(try await run(body)) } catch { return .failure(error) }
    }
}

/// The error that `body` throws, which the test demands.
nonisolated(nonsending) func failure<Value>(
    of body: nonisolated(nonsending) () async throws -> Value, sourceLocation: SourceLocation = #_sourceLocation
) async throws -> PostgresError {
    do {
        _ = try await body()
    } catch let error as PostgresError {
        return error
    }
    try #require(Bool(false), "no error was thrown", sourceLocation: sourceLocation)
    preconditionFailure()
}
