import Postgres
import Wire

/// The tables `account`, `transaction` and `entry`.
struct LedgerStore: Sendable {
    let database: PostgresPool

    private static let open = Statement.write(
        "open account", "insert into account (user_id) values ($1) on conflict do nothing")
    private static let lock = Statement.write(
        "lock account", "select true from account where user_id = $1 for no key update")
    /// A separate statement after the lock: it must see the commits that were made during the wait for the lock.
    private static let read = Statement.read(
        "read locked wallet",
        """
        select coalesce(wallet.balance, 0), coalesce(wallet.version, 0),
            reserve.key, reserve.user_id, reserve.amount, reserve.reason, reserve.state, reserve.balance,
            reserve.expires_at, reserve.uncollected_at
        from (select 1) as one
        left join lateral (
            select balance, version from entry
            where user_id = $1 and book = 'wallet' order by version desc limit 1
        ) as wallet on true
        left join reserve on reserve.key = $2
        """)
    private static let post = Statement.write(
        "post",
        """
        with made as (
            insert into transaction (user_id, kind, subject) values ($1, $2, $3) returning id
        )
        insert into entry (transaction_id, user_id, book, amount)
        select made.id, $1, posted.book, posted.amount
        from made, unnest($4::text[], $5::bigint[]) as posted (book, amount)
        """)
    private static let wallet = Statement.read(
        "read wallet",
        """
        select coalesce((
            select balance from entry
            where entry.user_id = account.user_id and book = 'wallet' order by version desc limit 1
        ), 0)
        from account where user_id = $1
        """)
    private static let wallets = Statement.read(
        "read wallets",
        """
        select user_id, coalesce((
            select balance from entry
            where entry.user_id = account.user_id and book = 'wallet' order by version desc limit 1
        ), 0)
        from account where user_id = any($1::bigint[])
        """)

    /// Locks the account of `user` until the transaction ends, and reads its wallet and the reserve under `key`.
    ///
    /// - Returns: nil if the user has no account yet.
    func lockedWallet(
        of user: UserID, key: String = "", in transaction: PostgresTransaction
    ) async throws(PostgresError) -> LockedWallet? {
        var batch = PostgresBatch()
        try batch.add(Self.lock, user)
        try batch.add(Self.read, user, key)
        let rows = try await transaction.run(batch)
        guard !rows[0].isEmpty else { return nil }
        return try rows[1].first(LockedWallet.init(row:))
    }

    /// Opens the account of `user`, or waits for a transaction that is opening it.
    ///
    /// - Returns: whether this call opened it. Then its first entries must follow.
    func open(_ user: UserID, in transaction: PostgresTransaction) async throws(PostgresError) -> Bool {
        try await transaction.execute(Self.open, user) > 0
    }

    /// Adds a posting of `user` to a batch.
    func add(_ posting: Posting, of user: UserID, to batch: inout PostgresBatch) throws(PostgresError) {
        try batch.add(
            Self.post, user, posting.kind, posting.subject, posting.entries.map(\.account.rawValue),
            posting.entries.map(\.amount))
    }

    /// Returns a user's wallet without locking it; nil if the user has no account yet.
    func wallet(of user: UserID) async throws(PostgresError) -> Int? {
        try await database.query(Self.wallet, user).first { row throws(PostgresError) in try row.next() }
    }

    /// Returns the wallets of the users that have an account.
    func wallets(of users: [UserID]) async throws(PostgresError) -> [UserID: Int] {
        let rows = try await database.query(Self.wallets, users).map { row throws(PostgresError) in
            (try row.next(as: UserID.self), try row.next(as: Int.self))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

extension Posting.Kind: PostgresValue {}

extension LockedWallet {
    init(row: inout Row) throws(PostgresError) {
        balance = try row.next()
        version = try row.next()
        reserve = try Reserve(row: &row)
    }
}
