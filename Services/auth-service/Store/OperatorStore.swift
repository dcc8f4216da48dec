import Contract
import Postgres
import ServiceKit
import Wire

/// Accounts as operators see them, and whether they are disabled.
struct OperatorStore: Sendable {
    private let database: PostgresPool

    private static let search = Statement.read(
        "find accounts for operator",
        """
        select a.id, a.email, a.nickname, a.phone, a.provider, a.is_email_verified, a.language, a.created_at, a.disabled_at,
            a.deleted_at, a.mail_bounced_at from account a
        where a.id = $1 or a.email_key = $2
            or $3 <> '' and (position($3 in lower(a.nickname)) > 0 or starts_with(a.email_key, $3))
        order by a.id = $1 desc, a.email_key = $2 desc, a.id limit $4
        """)
    private static let find = Statement.read(
        "account for operator",
        """
        select a.id, a.email, a.nickname, a.phone, a.provider, a.is_email_verified, a.language, a.created_at, a.disabled_at,
            a.deleted_at, a.mail_bounced_at,
            (select count(*) from session s where s.account = a.id and s.revoked_at is null and s.expires_at > $2),
            (select count(*) from device d where d.account = a.id),
            exists (select from second_factor f where f.account = a.id and f.enabled_at is not null)
        from account a where a.id = $1
        """)
    private static let disable = Statement.write(
        "disable account",
        """
        update account set disabled_at = coalesce(disabled_at, $2) where id = $1 and deleted_at is null
        returning disabled_at
        """)
    private static let enable = Statement.write(
        "enable account", "update account set disabled_at = null where id = $1 and deleted_at is null")
    private static let disabled = Statement.read(
        "disabled accounts",
        """
        select id from account where id = any($1) and (disabled_at is not null or deleted_at is not null) order by id
        """)

    init(database: PostgresPool) { self.database = database }

    /// The accounts with this id or address, or with a nickname or address that contains or begins with the text.
    func search(_ text: String, limit: Int) async throws -> [OperatorAccount] {
        let key = (try? EmailAddress(text))?.key
        return try await database.query(Self.search, Int64(text) ?? 0, key ?? "", text.lowercased(), limit)
            .map(OperatorAccount.init(row:))
    }

    func find(_ id: UserID, at now: Timestamp) async throws -> OperatorAccount? {
        try await database.query(Self.find, id, now.milliseconds).first { row throws(PostgresError) in
            var account = try OperatorAccount(row: &row)
            account.access = OperatorAccount.Access(
                sessions: Int(try row.next(as: Int64.self)), devices: Int(try row.next(as: Int64.self)),
                hasSecondFactor: try row.next())
            return account
        }
    }

    func transaction<Result>(_ body: (PostgresTransaction) async throws -> Result) async throws -> Result {
        try await database.transaction(attempts: 3, body)
    }

    /// Disables an account; false if there is none. A sign-in under way waits, and opens no session afterwards.
    func disable(_ account: UserID, at now: Timestamp, in tx: PostgresTransaction) async throws -> Bool {
        !(try await tx.query(Self.disable, account, now.milliseconds).isEmpty)
    }

    /// The accounts among these that can do nothing: disabled ones and deleted ones.
    func disabled(among accounts: [UserID]) async throws -> [UserID] {
        try await database.query(Self.disabled, accounts).map { row throws(PostgresError) in try row.next() }
    }

    /// Lets the user of an account sign in again; false if there is none.
    func enable(_ account: UserID) async throws -> Bool { try await database.execute(Self.enable, account) == 1 }
}

extension OperatorAccount {
    /// Reads the first columns of `find` and `search`.
    fileprivate init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        email = try row.next()
        nickname = try row.next()
        phone = try row.next()
        provider = try row.next()
        isEmailVerified = try row.next()
        language = try row.next()
        createdAt = try row.next()
        disabledAt = try row.next()
        deletedAt = try row.next()
        mailBouncedAt = try row.next()
    }
}
