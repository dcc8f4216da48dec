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
    private static let finishPart = Statement.write(
        "finish part of erasure",
        """
        with part as (
            update erasure_part set round = greatest(round, $3) where account = $1 and part = $2 returning account
        )
        update erasure set due_at = least(due_at, $4), attempts = 0
        where account = (select account from part) and finished_at is null and not exists (
            select from erasure_part as other
            where other.account = $1 and other.part <> $2 and other.round < erasure.round
        ) and $3 >= round
        """)
    private static let hasPart = Statement.read(
        "part of erasure", "select exists (select from erasure_part where account = $1 and part = $2)")
    private static let length = Statement.read(
        "length of erasure queue",
        """
        select count(*), min(requested_at)
        from (select requested_at from erasure where finished_at is null and erased_at is null limit $1) as waiting
        """)
    private static let forget = Statement.write("forget erasures", "delete from erasure where finished_at < $1")

    /// How far an erasure is; nil for an account that was not deleted.
    func find(_ account: UserID) async throws -> ErasureReply? {
        try await database.query(Self.find, account).first { row throws(PostgresError) in
            ErasureReply(
                requestedAt: try row.next(), erasedAt: try row.next(), waiting: try row.next(),
                addresses: try row.next())
        }
    }

    /// Notes that a service has finished a round; the last service makes the erasure due. False if there is none.
    func finish(_ part: ErasurePart, of account: UserID, round: Int, at now: Timestamp) async throws -> Bool {
        try await database.execute(Self.finishPart, account, part.rawValue, round, now.milliseconds)
        return try await database.query(Self.hasPart, account, part.rawValue).value()
    }

    /// The number of erasures that are not over.
    func length() async throws -> QueueLength {
        try await database.query(Self.length, QueueLength.mostCounted).only { row throws(PostgresError) in
            let rows = try row.next(as: Int64.self)
            return QueueLength(rows: Int(rows), oldest: try row.next())
        }
    }
    func forget(before moment: Timestamp) async throws {
        try await database.execute(Self.forget, moment.milliseconds)
    }
}
