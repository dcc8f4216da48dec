internal import Postgres
internal import Wire

extension OutboxRelay {
    private static let waitingRows = Statement.read(
        "count waiting outbox rows",
        """
        select count(*), min(created_at)
        from (select created_at from outbox where published_at is null order by id limit $1) as waiting
        """)

    /// Counts the rows that wait to be published.
    func length() async throws -> QueueLength {
        try await database.query(Self.waitingRows, QueueLength.mostCounted).only { row throws(PostgresError) in
            QueueLength(
                rows: Int(try row.next(as: Int64.self)),
                oldest: try row.next(as: Int64?.self).map { Timestamp(milliseconds: $0) })
        }
    }
}
