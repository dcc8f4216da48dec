import Postgres
import Synchronization
import Wire

/// The partitions of the search index, one for each 30 days. A query walks them from the newest, so that the age of a
/// workspace does not slow down its searches.
///
/// Each partition is noted in a table of its own and has an entry of workspace 0 as a mark. If the mark is gone, the entries were
/// lost, for example by a `truncate` or a restore without them.
final class SearchPartitions: Sendable {
    private let database: PostgresPool
    private let isDivided: Bool
    /// Nil for tables on one server.
    private let finder: WorkspaceFinder?
    /// The periods that have a partition.
    private let known = Mutex<Set<Int64>>([])

    /// A partition without its mark has lost its entries.
    private static let all = Statement.read(
        "partitions of search index",
        """
        select period, exists (
            select from search_message e where e.workspace = 0 and e.created_at = search_partition.period * $1::bigint)
        from search_partition
        """)
    /// They have a copy on each server.
    private static let noted = Statement.read("noted partitions of search index", "select period from search_partition")
    private static let mark = Statement.write(
        "mark partition of search index",
        """
        insert into search_message (created_at, workspace, room, seq, kind, grams)
        select $1, 0, 0, 0, 0, '{}' where not exists (
            select from search_message where workspace = 0 and created_at = $1)
        """)
    private static let note = Statement.write(
        "note partition of search index", "insert into search_partition (period) values ($1) on conflict do nothing")
    private static let forget = Statement.write(
        "forget partitions of search index", "delete from search_partition where period = any($1::bigint[])")
    /// No room is of form 0, so that all are indexed anew.
    private static let beginAnew = Statement.write("lose progress of index", "update search_progress set form = 0")
    /// On Citus, searches queue behind the statement while it waits for its lock, so it gives up early.
    private static let limitWait = Statement.write(
        "limit wait for lock", "select set_config('lock_timeout', '2s', true)")
    /// The length of a period in milliseconds.
    static let length: Int64 = 30 * 86_400_000
    /// How long before its beginning a period gets its partition in a divided schema, which has none made while a part is out of reach.
    private static let timeAhead = Duration.seconds(7 * 86_400)

    /// The number of the period of a moment. A period is 30 days, counted from 1970.
    static func period(of moment: Timestamp) -> Int64 { moment.milliseconds / length }

    static func beginning(of period: Int64) -> Timestamp { Timestamp(milliseconds: period * length) }

    init(database: PostgresPool, isDivided: Bool = false, finder: WorkspaceFinder? = nil) {
        self.database = database
        self.isDivided = isDivided
        self.finder = finder
    }

    /// Says whether a moment is known to have its partition.
    func has(_ moment: Timestamp) -> Bool {
        known.withLock { $0.contains(Self.period(of: moment)) }
    }

    /// Reads the partitions. If one has lost its entries, all rooms begin anew; returns the number of those partitions.
    ///
    /// While the part with the marks is out of reach, all noted partitions are known. A loss is noticed when it returns.
    func refresh() async throws -> Int {
        guard let all = try await partitions() else {
            let noted = try await database.query(Self.noted).map { row throws(PostgresError) in
                try row.next(as: Int64.self)
            }
            known.withLock { $0 = Set(noted) }
            return 0
        }
        let lost = all.filter { !$0.isWhole }.map(\.period)
        known.withLock { $0 = Set(all.filter(\.isWhole).map(\.period)) }
        if lost.isEmpty { return 0 }
        var batch = PostgresBatch()
        try batch.add(Self.beginAnew)
        try batch.add(Self.forget, lost)
        if try await run(batch) { return lost.count }
        // A step would make their marks otherwise, and no later look would notice the loss.
        known.withLock { $0.formUnion(lost) }
        return 0
    }

    /// Nil if the part with the marks is out of reach.
    private func partitions() async throws -> [(period: Int64, isWhole: Bool)]? {
        guard let finder else { return try await database.query(Self.all, Self.length).map(Self.partition) }
        return try await finder.attempt { tx in try await tx.query(Self.all, Self.length).map(Self.partition) }
    }

    private static func partition(_ row: inout Row) throws(PostgresError) -> (period: Int64, isWhole: Bool) {
        (try row.next(), try row.next())
    }

    /// Runs statements that need all parts. Returns false if one of them is out of reach.
    private func run(_ batch: PostgresBatch) async throws -> Bool {
        if let finder { return try await finder.attemptLong { tx in try await tx.run(batch) } != nil }
        try await database.run(batch)
        return true
    }

    /// Makes the partition of the coming days in a divided schema, so that new messages have theirs while a part is out of reach.
    func makeAhead() async throws {
        let moment = Timestamp.now + Self.timeAhead
        if finder != nil, !has(moment) { _ = try await make(for: moment) }
    }

    /// Creates the partition of a moment unless it exists, with a mark at its beginning. Returns false if a part of a divided schema is out
    /// of reach.
    ///
    /// A table that is attached later needs no lock that a backup or a search holds up. Citus creates partitions in place only.
    @discardableResult
    func make(for moment: Timestamp) async throws -> Bool {
        let period = Self.period(of: moment)
        let name = "search_message_\(period)"
        let range = "for values from (\(period * Self.length)) to (\((period + 1) * Self.length))"
        let create = Statement.write(
            "create partition of search index",
            unprepared: isDivided
                ? "create table if not exists \(name) partition of search_message \(range)"
                : """
                do $$ begin
                    -- Another instance may be about to do the same.
                    lock table only search_message in share update exclusive mode;
                    if to_regclass('\(name)') is null then
                        create table \(name) (like search_message including all);
                        alter table search_message attach partition \(name) \(range);
                    end if;
                end $$
                """)
        var batch = PostgresBatch()
        try batch.add(Self.limitWait)
        try batch.add(create)
        try batch.add(Self.mark, period * Self.length)
        try batch.add(Self.note, period)
        guard try await run(batch) else { return false }
        _ = known.withLock { $0.insert(period) }
        return true
    }
}
