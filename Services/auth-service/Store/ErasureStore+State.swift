import Contract
import Postgres
import ServiceKit
import Wire

extension ErasureStore {
    private static let find = Statement.read(
        "find erasure",
        """
        select requested_at, erased_at, array(
            select part from erasure_part where account = $1 and erasure_part.round < 2
            union all select provider from erasure_grant where account = $1 order by 1),
            coalesce(addresses, '{}')
        from erasure where account = $1
        """)
    private static let length = Statement.read(
        "length of erasure queue",
        """
        select count(*), min(requested_at)
        from (select requested_at from erasure where finished_at is null and erased_at is null limit $1) as waiting
        """)

    /// How far an erasure is; nil for an account that was not deleted.
    func find(_ account: UserID) async throws -> ErasureReply? {
        try await database.query(Self.find, account).first { row throws(PostgresError) in
            ErasureReply(
                requestedAt: try row.next(), erasedAt: try row.next(), waiting: try row.next(),
                addresses: try row.next())
        }
    }

    /// The number of erasures that are not over.
    func length() async throws -> QueueLength {
        try await database.query(Self.length, QueueLength.mostCounted).only { row throws(PostgresError) in
            let rows = try row.next(as: Int64.self)
            return QueueLength(rows: Int(rows), oldest: try row.next())
        }
    }
}
