public import EventLoop

/// A database as a service sees it: a few connections on each loop, opened when first needed, on which the requests of
/// that loop are pipelined.
///
///     let rows = try await database.query(Self.findByEmail, email)
///     return try rows.first(User.init(row:))
///
/// On a loop, a call stays on it; from elsewhere it goes through the first loop.
public struct PostgresPool: Queryable {
    let core: Core
    private let budget: Duration

    /// Opens no connection yet. Host names are resolved, and statements cancelled, on `blocking`.
    public init(_ configuration: PostgresConfiguration, on loops: EventLoopGroup, blocking: BlockingPool) {
        core = Core(configuration, loops.loops.map { LoopPool(configuration, on: $0, blocking: blocking) })
        budget = configuration.deadline
    }

    private init(core: Core, budget: Duration) {
        self.core = core
        self.budget = budget
    }

    /// The same pool with another deadline for each call. The server's own `statementTimeout` still applies to single
    /// statements; a transaction raises it.
    public func within(_ deadline: Duration) -> PostgresPool { PostgresPool(core: core, budget: deadline) }

    /// Closes all connections; statements under way fail.
    public func close() { core.close() }

    public nonisolated(nonsending) func run(
        _ statement: Statement, with parameters: PostgresParameters
    ) async throws(PostgresError) -> Rows {
        let request = Request(.one(Request.Step(statement: statement, parameters: parameters)), budget: budget)
        return try await core.current.perform(request).rows
    }

    @discardableResult
    public nonisolated(nonsending) func run(_ batch: PostgresBatch) async throws(PostgresError) -> [Rows] {
        if batch.steps.isEmpty { return [] }
        return try await core.current.perform(Request(.batch(batch.steps), budget: budget)).lists
    }

    /// The pools of all loops.
    final class Core: Sendable {
        let configuration: PostgresConfiguration
        private let pools: [LoopPool]

        init(_ configuration: PostgresConfiguration, _ pools: [LoopPool]) {
            self.configuration = configuration
            self.pools = pools
        }

        deinit { close() }

        var current: LoopPool {
            if let loop = EventLoop.current, loop.index < pools.count, pools[loop.index].loop === loop {
                return pools[loop.index]
            }
            return pools[0]
        }

        func close() {
            for pool in pools { pool.loop.execute { pool.close() } }
        }
    }

    var deadline: Duration { budget }
}
