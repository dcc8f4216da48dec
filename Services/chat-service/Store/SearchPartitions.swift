import Postgres
import Synchronization
import Wire

/// The partitions of the search index, one for each 30 days. A query walks them from the newest, so that the age of a
/// workspace does not slow down its searches.
final class SearchPartitions: Sendable {
    private let database: PostgresPool
    /// The periods that have a partition.
    private let known = Mutex<Set<Int64>>([])

    private static let find = Statement.read(
        "partitions of search index",
        """
        select substring(inhrelid::regclass::text from '[0-9]+$')::bigint
        from pg_inherits where inhparent = 'search_message'::regclass
        """)
    /// Searches queue behind a statement that waits for its lock, so it gives up early.
    private static let limitWait = Statement.write(
        "limit wait for lock", "select set_config('lock_timeout', '2s', true)")
    private static let length: Int64 = 30 * 86_400_000

    /// The number of the period of a moment. A period is 30 days, counted from 1970.
    static func period(of moment: Timestamp) -> Int64 { moment.milliseconds / length }

    static func beginning(of period: Int64) -> Timestamp { Timestamp(milliseconds: period * length) }

    init(database: PostgresPool) {
        self.database = database
    }

    /// Says whether a moment is known to have its partition.
    func has(_ moment: Timestamp) -> Bool {
        known.withLock { $0.contains(Self.period(of: moment)) }
    }

    /// Creates the partition of a moment unless it exists.
    func make(for moment: Timestamp) async throws {
        let period = Self.period(of: moment)
        let found = try await database.query(Self.find).map { row throws(PostgresError) in try row.next(as: Int64.self)
        }
        known.withLock { $0.formUnion(found) }
        if found.contains(period) { return }
        let create = Statement.write(
            "create partition of search index",
            unprepared: """
                create table if not exists search_message_\(period) partition of search_message
                    for values from (\(period * Self.length)) to (\((period + 1) * Self.length))
                """)
        var batch = PostgresBatch()
        try batch.add(Self.limitWait)
        try batch.add(create)
        try await database.run(batch)
        _ = known.withLock { $0.insert(period) }
    }
}
