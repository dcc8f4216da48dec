internal import Glibc
internal import Postgres
internal import Redis
internal import Synchronization
internal import Telemetry
internal import Wire

/// The state of the stores of a service: Postgres, its connection pools, Redis, queues in tables, and the disk of its
/// files. `measure` asks for it now and then, and the metrics page shows the latest answer.
final class StoreMetrics: MetricsSource {
    /// The stores and queues to measure.
    struct Subjects: Sendable {
        var pools: [(name: String, pool: PostgresPool)] = []
        /// The schema of the service; nil if it has no tables.
        var schema: Schema?
        var redis: Redis?
        /// The streams that the service consumes, as a group of its name.
        var streams: [RedisKey] = []
        var queues: [(name: String, length: @Sendable () async throws -> QueueLength)] = []
        /// The folder of stored files; nil if the service stores none.
        var filesFolder: String?
    }

    /// A schema and the migrations that the program has for it.
    struct Schema: Sendable {
        let name: String
        let migrations: [Migration]
    }

    private struct State {
        var postgres: PostgresState?
        var pools: [PostgresPoolUsage] = []
        var redis: RedisMemory?
        var queues: [String: QueueLength] = [:]
    }

    static let interval = Duration.seconds(10)

    private let subjects: Subjects
    private let state = Mutex(State())

    init(_ subjects: Subjects) { self.subjects = subjects }

    /// Measures once. A store that does not answer is shown as down; a queue that cannot be read keeps its last length.
    func measure() async {
        var new = State()
        if let database = subjects.pools.first?.pool { new.postgres = try? await PostgresState.read(from: database) }
        for (_, pool) in subjects.pools { new.pools.append(await pool.usage()) }
        if let redis = subjects.redis { new.redis = await RedisMemory.read(from: redis) }
        new.queues = state.withLock(\.queues)
        for (name, length) in subjects.queues {
            if let length = try? await length() { new.queues[name] = length }
        }
        let measured = new
        state.withLock { $0 = measured }
    }

    func write(to page: inout MetricsPage) {
        let (postgres, pools, redis, queues) = state.withLock { ($0.postgres, $0.pools, $0.redis, $0.queues) }
        if !subjects.pools.isEmpty { Self.write(postgres, to: &page) }
        write(pools, to: &page)
        if subjects.redis != nil { Self.write(redis, to: &page) }
        write(queues, to: &page)
        if let folder = subjects.filesFolder { Self.writeDisk(of: folder, to: &page) }
    }

    private static func write(_ postgres: PostgresState?, to page: inout MetricsPage) {
        page.begin("maru_postgres_up", .gauge, "Whether Postgres has answered the last measurement.")
        page.value(postgres == nil ? 0 : 1)
        guard let postgres else { return }
        page.begin("maru_postgres_connections", .gauge, "Connections to this database, of all clients.")
        page.value(Double(postgres.connections))
        page.begin("maru_postgres_connection_limit", .gauge, "Connections that the server allows.")
        page.value(Double(postgres.connectionLimit))
        page.begin("maru_postgres_database_bytes", .gauge, "The size of the database on its disk.")
        page.value(Double(postgres.bytes))
        page.begin("maru_postgres_transactions_total", .counter, "Transactions of all clients, by their end.")
        page.value(Double(postgres.commits), labels: ["outcome": "committed"])
        page.value(Double(postgres.rollbacks), labels: ["outcome": "rolled back"])
        page.begin("maru_postgres_deadlocks_total", .counter, "Deadlocks that the server has ended.")
        page.value(Double(postgres.deadlocks))
        page.begin("maru_postgres_archive_failing", .gauge, "Whether the latest segment of WAL could not be archived.")
        page.value(postgres.failsToArchive ? 1 : 0)
    }

    private func write(_ pools: [PostgresPoolUsage], to page: inout MetricsPage) {
        let named = zip(subjects.pools.map(\.name), pools)
        page.begin("maru_pool_connections", .gauge, "Open connections to Postgres, by pool and state.")
        for (name, usage) in named {
            page.value(Double(usage.busy), labels: ["pool": name, "state": "busy"])
            page.value(Double(usage.open - usage.busy), labels: ["pool": name, "state": "idle"])
        }
        page.begin("maru_pool_connection_limit", .gauge, "Connections that a pool may open.")
        for (name, usage) in named { page.value(Double(usage.limit), labels: ["pool": name]) }
        page.begin("maru_pool_waiting", .gauge, "Statements and transactions that wait for a connection.")
        for (name, usage) in named { page.value(Double(usage.waiting), labels: ["pool": name]) }
        page.begin("maru_pool_host_connections", .gauge, "Open connections to Postgres, by pool and host.")
        for (name, usage) in named {
            for (host, open) in usage.hosts.sorted(by: { $0.key < $1.key }) {
                page.value(Double(open), labels: ["pool": name, "host": host])
            }
        }
        page.begin(
            "maru_pool_failovers_total", .counter, "Times that a pool found the writable Postgres at another host.")
        for (name, usage) in named { page.value(Double(usage.failovers), labels: ["pool": name]) }
    }

    private static func write(_ redis: RedisMemory?, to page: inout MetricsPage) {
        page.begin("maru_redis_up", .gauge, "Whether Redis has answered the last measurement.")
        page.value(redis == nil ? 0 : 1)
        guard let redis else { return }
        page.begin("maru_redis_memory_bytes", .gauge, "Memory that Redis uses.")
        page.value(redis.used)
        page.begin("maru_redis_memory_limit_bytes", .gauge, "Memory above which Redis refuses writes; 0 for no limit.")
        page.value(redis.limit)
    }

    private func write(_ queues: [String: QueueLength], to page: inout MetricsPage) {
        page.begin("maru_queue_rows", .gauge, "Rows that wait in a queue: facts for the outbox relay, pushes for FCM.")
        for (name, length) in queues { page.value(Double(length.rows), labels: ["queue": name]) }
        page.begin("maru_queue_age_seconds", .gauge, "The age of the oldest waiting row of a queue.")
        for (name, length) in queues { page.value(length.age(now: .now), labels: ["queue": name]) }
    }

    private static func writeDisk(of folder: String, to page: inout MetricsPage) {
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return }
        let block = Double(disk.f_frsize)
        page.begin("maru_disk_free_bytes", .gauge, "Free space on the disk of the stored files.")
        page.value(Double(disk.f_bavail) * block)
        page.begin("maru_disk_size_bytes", .gauge, "The size of the disk of the stored files.")
        page.value(Double(disk.f_blocks) * block)
    }
}
