public import EventLoop
internal import Synchronization

/// A pool of connections to one database: each loop opens a few when it needs them and pipelines its requests on them.
///
///     let rows = try await database.query(Self.findByEmail, email)
///     return try rows.first(User.init(row:))
///
/// A call from a loop stays on that loop; a call from another thread goes through the first loop.
public struct PostgresPool: Queryable {
    let core: Core
    let deadline: Duration
    /// `deadline` in nanoseconds.
    private let budget: UInt64

    /// Creates a pool without connections. Host names are resolved, and statements cancelled, on `blocking`.
    public init(_ configuration: PostgresConfiguration, on loops: EventLoopGroup, blocking: BlockingPool) {
        let pools = loops.loops.map { LoopPool(configuration, on: $0, blocking: blocking) }
        self.init(core: Core(pools), deadline: configuration.deadline)
    }

    private init(core: Core, deadline: Duration) {
        self.core = core
        self.deadline = deadline
        budget = deadline.wholeNanoseconds
    }

    /// The same pool with another deadline for its calls. The server's `statementTimeout` still applies to single statements;
    /// a transaction raises it.
    public func within(_ deadline: Duration) -> PostgresPool { PostgresPool(core: core, deadline: deadline) }

    /// Closes all connections; statements in flight fail.
    public func close() { core.close() }

    public func run(
        _ statement: Statement, with parameters: PostgresParameters
    ) async throws(PostgresError) -> Rows {
        let request = Request(.one(Request.Step(statement: statement, parameters: parameters)), budget: budget)
        return try await core.current.perform(request).rows
    }

    @discardableResult
    public func run(_ batch: PostgresBatch) async throws(PostgresError) -> [Rows] {
        if batch.steps.isEmpty { return [] }
        return try await core.current.perform(Request(.batch(batch.steps), budget: budget)).lists
    }

    /// The pools of the loops.
    final class Core: Sendable {
        private let pools: [LoopPool]
        private let isClosed = Atomic(false)

        init(_ pools: [LoopPool]) { self.pools = pools }

        deinit { close() }

        var current: LoopPool {
            if let loop = EventLoop.current, loop.index < pools.count, pools[loop.index].loop === loop {
                return pools[loop.index]
            }
            return pools[0]
        }

        func usages() async -> [PostgresPoolUsage] {
            var usages: [PostgresPoolUsage] = []
            for pool in pools { usages.append(await pool.usage()) }
            return usages
        }

        func close() {
            if isClosed.exchange(true, ordering: .relaxed) { return }
            for pool in pools { pool.loop.execute { pool.close() } }
        }
    }
}
