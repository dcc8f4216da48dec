internal import Postgres
internal import Wire

extension OutboxRelay {
    private static let waitingRows = Statement.read(
        "count waiting outbox rows",
        """
        select count(*), min(created_at)
        from (select created_at from outbox where published_at is null order by id limit $1) as waiting
        """)

    /// Counts the rows that wait to be published. Those of a part that is out of reach are missing.
    func length() async throws -> QueueLength {
        let most = QueueLength.mostCounted
        guard let parts else { return try await database.query(Self.waitingRows, most).only(Self.counted) }
        let lengths = try await parts.find(
            all: { tx in [try await tx.query(Self.waitingRows, most).only(Self.counted)] },
            among: { tx, part in [try await tx.query(OutboxPartStatements.length, most, part).only(Self.counted)] })
        return QueueLength(
            rows: lengths.reduce(0) { $0 + $1.rows },
            oldest: lengths.compactMap(\.oldest).min { $0.milliseconds < $1.milliseconds })
    }

    /// Reads the columns count, created_at.
    private static func counted(_ row: inout Row) throws(PostgresError) -> QueueLength {
        QueueLength(
            rows: Int(try row.next(as: Int64.self)),
            oldest: try row.next(as: Int64?.self).map { Timestamp(milliseconds: $0) })
    }
}
