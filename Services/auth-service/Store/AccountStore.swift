import Contract
import Postgres
import Wire

/// The table `account`.
struct AccountStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement.write(
        "insert account",
        """
        insert into account (email, email_key, nickname, phone, password_hash, language, created_at)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (email_key) do nothing
        returning id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace
        """)
    private static let byEmail = Statement.read(
        "account by email",
        """
        select id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace,
            password_hash, credentials
        from account where email_key = $1
        """)
    private static let byEmails = Statement.read(
        "accounts by email",
        """
        select id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace, email_key
        from account where email_key = any($1::text[]) and bot_workspace is null
        """)
    private static let byIDs = Statement.read(
        "accounts by id",
        """
        select id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace
        from account where id = any($1::bigint[])
        """)
    private static let insertSocial = Statement.write(
        "insert social account",
        """
        insert into account (email, email_key, is_email_verified, nickname, provider, language, created_at)
        values ($1, $2, $3, $4, $5, $6, $7)
        on conflict (email_key) do nothing
        returning id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace
        """)
    private static let verified = Statement.read(
        "verified account by email",
        """
        select id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace, is_email_verified
        from account where email_key = $1
        """)
    private static let exists = Statement.read(
        "account exists", "select exists (select from account where email_key = $1)")
    private static let change = Statement.write(
        "change profile",
        """
        update account set
            nickname = coalesce($2, nickname),
            phone = case when $3 then $4 else phone end,
            profile_image = coalesce($5, profile_image),
            language = coalesce($6, language),
            version = version + 1
        where id = $1 and deleted_at is null
        returning id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace
        """)
    private static let setPassword = Statement.write(
        "set password hash",
        "update account set password_hash = $2 where id = $1 and credentials = $3 and deleted_at is null")

    private static let inexact = Statement.read(
        "accounts with inexact keys",
        "select id, email from account where not is_key_exact and id > $1 order by id limit $2")
    private static let setKey = Statement.write(
        "set email key",
        """
        update account set email_key = $2, is_key_exact = true
        where id = $1 and not exists (select from account as other where other.email_key = $2 and other.id <> $1)
        """)

    /// An account with its password hash, for logins only.
    struct AccountWithPassword: Sendable {
        let account: Account
        let passwordHash: String?
        /// Grows with each change of the password.
        let credentials: Int64
    }

    /// Runs `body` in a transaction.
    func transaction<Result>(
        attempts: Int, _ body: (PostgresTransaction) async throws -> Result
    ) async throws -> Result {
        try await database.transaction(attempts: attempts, body)
    }

    /// Inserts an account with a password; nil if the email already has one.
    func insert(
        _ email: EmailAddress, nickname: String, phone: String?, passwordHash: String, language: MailLanguage?,
        at now: Timestamp
    ) async throws -> Account? {
        try await database.query(
            Self.insert, email.text, email.key, nickname, phone, passwordHash, language?.rawValue, now.milliseconds
        ).first(Account.init(row:))
    }

    /// Returns the account of an email, and whether its email was verified.
    func findVerified(_ email: EmailAddress, in transaction: PostgresTransaction) async throws
        -> (account: Account, isVerified: Bool)?
    {
        try await transaction.query(Self.verified, email.key).first { row throws(PostgresError) in
            (try Account(row: &row), try row.next())
        }
    }

    /// Inserts an account without a password; nil if the email already has one.
    func insert(
        _ email: EmailAddress, isVerified: Bool, nickname: String, provider: SocialProvider?,
        language: MailLanguage?, at now: Timestamp, in transaction: PostgresTransaction
    ) async throws -> Account? {
        try await transaction.query(
            Self.insertSocial, email.text, email.key, isVerified, nickname, provider?.rawValue, language?.rawValue,
            now.milliseconds
        ).first(Account.init(row:))
    }

    func exists(_ email: EmailAddress) async throws -> Bool {
        try await database.query(Self.exists, email.key).value()
    }

    func find(_ email: EmailAddress) async throws -> AccountWithPassword? {
        try await database.query(Self.byEmail, email.key).first { row throws(PostgresError) in
            AccountWithPassword(
                account: try Account(row: &row), passwordHash: try row.next(), credentials: try row.next())
        }
    }

    func find(_ ids: [UserID]) async throws -> [Account] {
        try await database.query(Self.byIDs, ids).map(Account.init(row:))
    }

    func find(_ id: UserID) async throws -> Account? { try await find([id]).first }

    /// Returns the accounts of emails, by ``EmailAddress/key``.
    func find(emailKeys: [String]) async throws -> [String: Account] {
        let found = try await database.query(Self.byEmails, emailKeys).map { row throws(PostgresError) in
            let account = try Account(row: &row)
            return (try row.next(as: String.self), account)
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    /// Changes the fields that `change` sets; nil if there is no such account.
    func change(_ id: UserID, _ change: ProfileChange, in transaction: PostgresTransaction) async throws -> Account? {
        let phone: String? = change.phone ?? nil
        return try await transaction.query(
            Self.change, id, change.nickname, change.phone != nil, phone, change.profileImage,
            change.language?.rawValue
        ).first(Account.init(row:))
    }

    /// Computes the keys again that an older version made by folding Unicode case. A key that another account has
    /// stays.
    func recomputeInexactKeys() async throws {
        let page = 1000
        var last: Int64 = 0
        while true {
            let accounts = try await database.query(Self.inexact, last, page).map { row throws(PostgresError) in
                (id: try row.next(as: Int64.self), email: try row.next(as: String.self))
            }
            for account in accounts {
                guard let key = try? EmailAddress(account.email).key else { continue }
                try await database.execute(Self.setKey, account.id, key)
            }
            guard accounts.count == page, let end = accounts.last else { return }
            last = end.id
        }
    }

    /// Replaces a password hash that has outdated parameters, unless the password was changed after `credentials`.
    func setPasswordHash(_ hash: String, of id: UserID, at credentials: Int64) async throws {
        try await database.execute(Self.setPassword, id, hash, credentials)
    }
}

extension Account {
    /// Reads id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace.
    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        email = try row.next()
        nickname = try row.next()
        phone = try row.next()
        profileImage = try row.next()
        provider = try row.next(as: String?.self).flatMap(SocialProvider.init)
        createdAt = try row.next()
        version = try row.next()
        bot = try row.next()
    }
}
