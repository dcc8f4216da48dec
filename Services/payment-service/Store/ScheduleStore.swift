import Postgres
import Wire

/// The table `schedule`: jobs that the first instance to claim them runs for all.
struct ScheduleStore: Sendable {
    let database: PostgresPool

    private static let claim = Statement.write(
        "claim job",
        """
        update schedule set due_at = now + $2
        from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now) as clock
        where work = $1 and due_at <= now
        """)
    private static let finish = Statement.write(
        "finish job",
        "update schedule set finished_at = (extract(epoch from clock_timestamp()) * 1000)::bigint where work = $1")

    /// Claims the job if it is due, and sets its next due time.
    func claim(_ job: String, every interval: Duration) async throws(PostgresError) -> Bool {
        try await database.execute(Self.claim, job, interval.wholeMilliseconds) > 0
    }

    /// Records that the job has finished.
    func finish(_ job: String) async throws(PostgresError) {
        try await database.execute(Self.finish, job)
    }
}
