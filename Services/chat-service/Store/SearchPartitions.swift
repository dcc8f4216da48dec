import Postgres
import Synchronization
import Wire

/// The partitions of the search index, one for each 30 days. A query walks them from the newest, so that the age of a
/// workspace does not slow down its searches.
final class SearchPartitions: Sendable {
    private let database: PostgresPool
    /// The periods that have a partition. A period is 30 days, counted from 1970.
    private let known = Mutex<Set<Int64>>([])

    private static let find = Statement.read(
        "partitions of search index",
        """
        select substring(inhrelid::regclass::text from '[0-9]+$')::bigint
        from pg_inherits where inhparent = 'search_entry'::regclass
        """)
    /// Searches queue behind a statement that waits for its lock, so it gives up early.
    private static let limitWait = Statement.write(
        "limit wait for lock", "select set_config('lock_timeout', '2s', true)")
    private static let length: Int64 = 30 * 86_400_000

    init(database: PostgresPool) {
        self.database = database
    }

    /// Says whether a moment is known to have its partition.
    func has(_ moment: Timestamp) -> Bool {
        known.withLock { $0.contains(moment.milliseconds / Self.length) }
    }

    /// Creates the partition of a moment unless it exists.
    func make(for moment: Timestamp) async throws {
        let period = moment.milliseconds / Self.length
        let found = try await database.query(Self.find).map { row throws(PostgresError) in try row.next(as: Int64.self)
        }
        known.withLock { $0.formUnion(found) }
        if found.contains(period) { return }
        let create = Statement.write(
            "create partition of search index",
            unprepared: """
                create table if not exists search_entry_\(period) partition of search_entry
                    for values from (\(period * Self.length)) to (\((period + 1) * Self.length))
                """)
        // The planner chooses between the grams and the newest messages by how frequent the grams are.
        let keepStatistics = Statement.write(
            "keep statistics of frequent grams",
            unprepared: "alter table search_entry_\(period) alter column grams set statistics 1000")
        var batch = PostgresBatch()
        try batch.add(Self.limitWait)
        try batch.add(create)
        try batch.add(keepStatistics)
        try await database.run(batch)
        _ = known.withLock { $0.insert(period) }
    }
}
