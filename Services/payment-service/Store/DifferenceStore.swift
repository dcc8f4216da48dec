import Postgres
import Wire

/// The table `difference`: the differences that reconciliation found.
struct DifferenceStore: Sendable {
    let database: PostgresPool

    /// A difference, and when it was first and last seen.
    struct Entry: Sendable, Equatable {
        let difference: Difference
        let firstSeenAt: Timestamp
        let lastSeenAt: Timestamp
    }

    private static let now = Statement.read(
        "time of differences", "select (extract(epoch from clock_timestamp()) * 1000)::bigint")
    private static let record = Statement.write(
        "record difference",
        """
        insert into difference as known (kind, subject, ours, theirs, first_seen_at, last_seen_at)
        select $1, $2, $3, $4, now, now
        from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now) as clock
        on conflict (kind, subject) do update set ours = excluded.ours, theirs = excluded.theirs,
            first_seen_at = case when known.resolved_at is null then known.first_seen_at else excluded.first_seen_at end,
            last_seen_at = excluded.last_seen_at, resolved_at = null
        """)
    private static let resolve = Statement.write(
        "resolve differences",
        """
        update difference set resolved_at = (extract(epoch from clock_timestamp()) * 1000)::bigint
        where resolved_at is null and kind = any($1::text[]) and last_seen_at < $2
        """)
    private static let unresolved = Statement.read(
        "unresolved differences",
        """
        select kind, subject, ours, theirs, first_seen_at, last_seen_at from difference
        where resolved_at is null order by first_seen_at, kind, subject limit $1
        """)
    private static let counts = Statement.read(
        "count differences", "select kind, count(*) from difference where resolved_at is null group by kind")

    /// The time by the clock of the database, which sets the times of differences and of checks of payments. The clock
    /// of this machine may differ from it.
    func now() async throws(PostgresError) -> Timestamp { try await database.query(Self.now).value() }

    /// Records a difference, new or seen again.
    func record(_ difference: Difference) async throws(PostgresError) {
        try await database.execute(
            Self.record, difference.kind, difference.subject, difference.ours, difference.theirs)
    }

    /// Resolves differences of the given kinds that were not seen since `start`.
    func resolve(
        _ kinds: [Difference.Kind], notSeenSince start: Timestamp
    ) async throws(PostgresError) {
        try await database.execute(Self.resolve, kinds.map(\.rawValue), start)
    }

    /// Returns up to `limit` unresolved differences, oldest first.
    func unresolved(limit: Int) async throws(PostgresError) -> [Entry] {
        try await database.query(Self.unresolved, limit).map { row throws(PostgresError) in
            Entry(
                difference: try Difference(row: &row), firstSeenAt: try row.next(), lastSeenAt: try row.next())
        }
    }

    /// Returns the number of unresolved differences by kind, without kinds that have none.
    func counts() async throws(PostgresError) -> [Difference.Kind: Int] {
        let counts = try await database.query(Self.counts).map { row throws(PostgresError) in
            (try row.next(as: Difference.Kind.self), try row.next(as: Int.self))
        }
        return Dictionary(counts) { first, _ in first }
    }
}

extension Difference.Kind: PostgresValue {}

extension Difference {
    /// Reads kind, subject, ours and theirs.
    init(row: inout Row) throws(PostgresError) {
        kind = try row.next()
        subject = try row.next()
        ours = try row.next()
        theirs = try row.next()
    }
}
