import Postgres
import Wire

/// Work that one instance does for all: whoever comes first when it is due.
struct ScheduleStore: Sendable {
    private static let take = Statement.write(
        "take work",
        """
        update schedule set due_at = now + $2
        from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now) as clock
        where work = $1 and due_at <= now
        """)
    private static let finish = Statement.write(
        "finish work",
        "update schedule set finished_at = (extract(epoch from clock_timestamp()) * 1000)::bigint where work = $1")

    /// Takes the work if it is due, and sets when it is due again.
    func take(_ work: String, every interval: Duration, in database: some Queryable) async throws(PostgresError) -> Bool
    {
        try await database.execute(Self.take, work, interval.wholeMilliseconds) > 0
    }

    /// Notes that the work was done just now.
    func finish(_ work: String, in database: some Queryable) async throws(PostgresError) {
        try await database.execute(Self.finish, work)
    }
}
