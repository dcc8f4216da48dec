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
    private let beginsBatches: Bool

    /// Creates a pool without connections. Host names are resolved, and statements cancelled, on `blocking`.
    public init(_ configuration: PostgresConfiguration, on loops: EventLoopGroup, blocking: BlockingPool) {
        let pools = LoopLocal(loops) { LoopPool(configuration, on: $0, blocking: blocking) }
        self.init(core: Core(pools), deadline: configuration.deadline, beginsBatches: configuration.beginsBatches)
    }

    private init(core: Core, deadline: Duration, beginsBatches: Bool) {
        self.core = core
        self.deadline = deadline
        self.beginsBatches = beginsBatches
        budget = deadline.wholeNanoseconds
    }

    /// The same pool with another deadline for its calls. The server's `statementTimeout` still applies to single statements;
    /// a transaction raises it.
    public func within(_ deadline: Duration) -> PostgresPool {
        PostgresPool(core: core, deadline: deadline, beginsBatches: beginsBatches)
    }

    /// Closes all connections. Statements in flight fail as on a lost connection: they may have taken effect.
    public func close() { core.close() }

    public func run(
        _ statement: Statement, with parameters: PostgresParameters
    ) async throws(PostgresError) -> Rows {
        let request = Request(.one(Request.Step(statement: statement, parameters: parameters)), budget: budget)
        return try await core.nearest.perform(request).rows
    }

    @discardableResult
    public func run(_ batch: PostgresBatch) async throws(PostgresError) -> [Rows] {
        if batch.steps.isEmpty { return [] }
        if beginsBatches, batch.count > 1 { return try await runBegun(batch) }
        return try await core.nearest.perform(Request(.batch(batch.steps), budget: budget)).lists
    }

    /// The pools of the loops.
    final class Core: Sendable {
        private let pools: LoopLocal<LoopPool>
        private let isClosed = Atomic(false)

        init(_ pools: LoopLocal<LoopPool>) { self.pools = pools }

        deinit { close() }

        var nearest: LoopPool { pools.nearest }

        func usages() async -> [PostgresPoolUsage] {
            var usages: [PostgresPoolUsage] = []
            for pool in pools.all { usages.append(await pool.usage()) }
            return usages
        }

        func close() {
            if isClosed.exchange(true, ordering: .relaxed) { return }
            pools.forEach { $0.close() }
        }
    }
}
