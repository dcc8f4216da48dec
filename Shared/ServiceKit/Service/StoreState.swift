internal import Postgres
internal import Redis

/// The state of the Postgres server, as it reports it.
struct PostgresState: Sendable {
    let connections, connectionLimit, bytes, commits, rollbacks, deadlocks: Int64
    /// Whether the latest segment of WAL could not be archived.
    let failsToArchive: Bool

    private static let statement = Statement.read(
        "measure postgres",
        """
        select (select count(*) from pg_stat_activity where datid is not null), current_setting('max_connections')::bigint,
            pg_database_size(current_database()), xact_commit, xact_rollback, deadlocks,
            (select coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) from pg_stat_archiver)
        from pg_stat_database where datname = current_database()
        """)

    static func read(from database: PostgresPool) async throws -> PostgresState {
        try await database.query(statement).only { row throws(PostgresError) in
            PostgresState(
                connections: try row.next(), connectionLimit: try row.next(), bytes: try row.next(),
                commits: try row.next(), rollbacks: try row.next(), deadlocks: try row.next(),
                failsToArchive: try row.next())
        }
    }
}

/// The memory of a Redis server, from its reply to `INFO memory`; in a cluster, of the master that is fullest.
struct RedisMemory: Sendable, Equatable {
    /// Bytes.
    let used, limit: Double

    init(used: Double, limit: Double) {
        self.used = used
        self.limit = limit
    }

    /// Nil if a server does not answer.
    static func read(from redis: Redis) async -> RedisMemory? {
        var fullest: RedisMemory?
        for outcome in await redis.runOnEachServer(RedisCommand("INFO", "memory")) {
            guard let memory = (try? outcome.get())?.text.flatMap(RedisMemory.init(info:)) else { return nil }
            if memory.share >= fullest?.share ?? 0 { fullest = memory }
        }
        return fullest
    }

    /// How full it is; without a limit the number of bytes.
    private var share: Double { limit > 0 ? used / limit : used }

    /// Nil if the text has no such numbers.
    init?(info: String) {
        var numbers: [Substring: Double] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, let number = Double(parts[1]) { numbers[parts[0]] = number }
        }
        guard let used = numbers["used_memory"], let limit = numbers["maxmemory"] else { return nil }
        self.init(used: used, limit: limit)
    }
}
