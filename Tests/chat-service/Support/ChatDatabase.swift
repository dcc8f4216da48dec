import EventLoop
import Postgres
import ServiceSupport
import TestSupport
import Wire

@testable import chat_service

extension ChatEngine {
    static let ofTests = PostgresCluster.hasCitus ? ChatEngine.citus : .postgres
}

/// A database with the service's schema, and pools that each have their own loop.
final class ChatDatabase: Stoppable {
    let database: TestDatabase
    let pools: [PostgresPool]
    let loops: [EventLoopGroup]
    private let blocking = BlockingPool(threads: 2, limit: 64)

    /// - Parameters:
    ///   - last: the number of the last migration that is applied.
    ///   - schema: where statements find their tables; migrations make theirs in `chat`.
    init(
        pools count: Int = 1, on cluster: PostgresCluster? = nil, through last: Int = .max, schema: String = "chat",
        engine: ChatEngine = .ofTests
    ) async throws {
        let cluster = if let cluster { cluster } else { try await PostgresCluster.ofThisProcess() }
        database = try await cluster.makeDatabase()
        var (groups, pools): ([EventLoopGroup], [PostgresPool]) = ([], [])
        for number in 0..<count {
            let group = EventLoopGroup(count: 1)
            var configuration = PostgresConfiguration(database.connectionString)
            configuration.waitPatiently()
            configuration.connectionsPerLoop = 4
            configuration.schema = schema
            configuration.beginsBatches = engine == .citus
            configuration.sessionSettings = engine.distribution?.sessionSettings ?? [:]
            // A statement gets a plan for the parts of its workspaces each time, as on Citus.
            if schema != "chat" { configuration.sessionSettings["plan_cache_mode"] = "force_custom_plan" }
            // A lost part is one that the second pool has locked. The others find it by the lock, not by a time that a slow machine may
            // take as well.
            if schema != "chat", number != 1 { configuration.sessionSettings["lock_timeout"] = "2000" }
            groups.append(group)
            pools.append(PostgresPool(configuration, on: group, blocking: blocking))
        }
        loops = groups
        self.pools = pools
        try await run { pool in
            try await pool.migrate(
                "chat", Migrations.all.filter { $0.number <= last }, dividing: engine.distribution)
        }
    }

    static func use(pools: Int = 1, _ body: (ChatDatabase) async throws -> Void) async throws {
        try await ChatDatabase(pools: pools).lent(to: body)
    }

    /// Runs `body` on the loop of one of the pools, like a request.
    @discardableResult
    func run<Result: Sendable>(
        _ index: Int = 0, _ body: @escaping @Sendable (PostgresPool) async throws -> Result
    ) async throws -> Result {
        let pool = pools[index]
        return try await loops[index].loops[0].run { try await body(pool) }
    }

    /// Writes messages as one batch.
    func write(
        _ messages: [PendingMessage], at now: Timestamp = .now, pool index: Int = 0,
        isDivided: Bool = ChatEngine.ofTests == .citus
    ) async throws -> MessageWriter.Result {
        try await run(index) { pool in
            try await MessageWriter(database: pool, isDivided: isDivided).write(messages, newRooms: true, now: now)
        }
    }

    /// The result of a query, with columns separated by `|` and rows by newlines.
    func ask(_ sql: String) async throws -> String {
        let output = try await database.run(sql: sql)
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }

    func stop() async {
        for pool in pools { pool.close() }
        await onOwnThread { [loops, blocking] in
            for group in loops { group.stop() }
            blocking.stop()
        }
    }
}
