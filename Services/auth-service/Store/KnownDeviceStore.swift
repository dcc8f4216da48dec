import Postgres
import Wire

/// The table `known_device`: the devices that accounts were used on.
struct KnownDeviceStore: Sendable {
    let database: PostgresPool

    private static let see = Statement.write(
        "see device",
        """
        with others as (
            select count(*) as number, count(*) filter (where seen_at > $4) as recent
            from known_device where account = $1 and digest <> $2
        ), seen as (
            insert into known_device (account, digest, seen_at)
            select id, $2, $3 from account where id = $1 and deleted_at is null
            on conflict (account, digest) do update set seen_at = excluded.seen_at
            returning xmax = 0 as is_new
        )
        select coalesce((select is_new from seen), false) and others.number > 0 and others.recent <= $5 from others
        """)
    private static let forget = Statement.write("forget devices", "delete from known_device where seen_at < $1")

    /// Remembers a device; returns whether it is new to an account that has others, of which at most `limit` were seen since a moment.
    func see(
        _ digest: [UInt8], of account: UserID, at now: Timestamp, among limit: Int, since moment: Timestamp,
        in transaction: PostgresTransaction
    ) async throws -> Bool {
        try await transaction.query(Self.see, account, digest, now.milliseconds, moment.milliseconds, limit).only {
            row throws(PostgresError) in
            try row.next()
        }
    }

    /// Forgets devices that were not used since a moment.
    func forget(before moment: Timestamp) async throws {
        try await database.execute(Self.forget, moment.milliseconds)
    }
}
