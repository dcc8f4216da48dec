import Postgres
import Wire

/// The table `reserve`.
struct ReserveStore: Sendable {
    let database: PostgresPool

    /// The key of a reserve, and its user: their account must be locked first.
    struct ReserveKey: Sendable, Equatable {
        let key: String
        let user: UserID
    }

    private static let record = Statement.write(
        "record reserve",
        """
        insert into reserve (key, user_id, amount, reason, state, balance, expires_at, uncollected_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (key) do update set state = excluded.state, uncollected_at = excluded.uncollected_at
        """)
    private static let owner = Statement.read("owner of reserve", "select user_id from reserve where key = $1")
    private static let overdue = Statement.read(
        "overdue reserves",
        """
        select key, user_id from reserve
        where state = 'reserved' and expires_at <= $1 and key <> all($2::text[]) order by expires_at limit $3
        """)

    /// Adds the insert or update of a reserve to a batch.
    func add(_ reserve: Reserve, to batch: inout PostgresBatch) throws(PostgresError) {
        let request = reserve.request
        try batch.add(
            Self.record, request.key, request.user, request.amount, request.reason, reserve.state, reserve.balance,
            reserve.expiresAt, reserve.uncollectedAt)
    }

    /// Returns the user of a reserve; nil if the key is unknown.
    func owner(of key: String) async throws(PostgresError) -> UserID? {
        try await database.query(Self.owner, key).first { row throws(PostgresError) in try row.next() }
    }

    /// Returns reserves that are due to expire, those longest overdue first.
    ///
    /// - Parameter skipped: keys of reserves to leave out.
    func overdue(at now: Timestamp, except skipped: [String], limit: Int) async throws(PostgresError) -> [ReserveKey] {
        try await database.query(Self.overdue, now, skipped, limit).map { row throws(PostgresError) in
            ReserveKey(key: try row.next(), user: try row.next())
        }
    }
}

extension Reserve.State: PostgresValue {}

extension Reserve {
    /// Reads the columns of a reserve; nil if they are all null.
    init?(row: inout Row) throws(PostgresError) {
        guard let key: String = try row.next() else { return nil }
        request = SpendRequest(key: key, user: try row.next(), amount: try row.next(), reason: try row.next())
        state = try row.next()
        balance = try row.next()
        expiresAt = try row.next()
        uncollectedAt = try row.next()
    }
}
