import Contract
import Postgres
import Wire

/// The tables `identity` and `oidc_identity`: the links of accounts to providers and issuers.
struct IdentityStore: Sendable {
    let database: PostgresPool

    private static let byProvider = Statement.read(
        "account by identity",
        """
        select a.id, a.email, a.nickname, a.phone, a.profile_image, a.provider, a.created_at, a.version,
            a.bot_workspace
        from identity i join account a on a.id = i.account where i.provider = $1 and i.subject = $2
        """)
    private static let byIssuer = Statement.read(
        "account by identity of issuer",
        """
        select a.id, a.email, a.nickname, a.phone, a.profile_image, a.provider, a.created_at, a.version,
            a.bot_workspace
        from oidc_identity i join account a on a.id = i.account where i.issuer = $1 and i.subject = $2
        """)
    private static let lock = Statement.write(
        "lock identity", "select pg_advisory_xact_lock(hashtextextended($1::text || ':' || $2::text, 0))")
    private static let linkProvider = Statement.write(
        "link identity",
        """
        insert into identity (provider, subject, account, created_at)
        select $1, $2, id, $4 from account where id = $3 and deleted_at is null for share
        """)
    private static let linkIssuer = Statement.write(
        "link identity of issuer",
        """
        insert into oidc_identity (issuer, subject, account, created_at)
        select $1, $2, id, $4 from account where id = $3 and deleted_at is null for share
        """)

    /// Returns the account linked to a subject.
    func find(_ source: IdentitySource, subject: String) async throws -> Account? {
        try await find(source, subject: subject, in: database)
    }

    /// The same within a transaction.
    func find(_ source: IdentitySource, subject: String, in queryable: some Queryable) async throws -> Account? {
        let statement = source.isIssuer ? Self.byIssuer : Self.byProvider
        return try await queryable.query(statement, source.name, subject).first(Account.init(row:))
    }

    /// Locks a subject until the end of the transaction, so that only one call at a time creates its account.
    func lock(_ source: IdentitySource, subject: String, in transaction: PostgresTransaction) async throws {
        try await transaction.query(Self.lock, source.name, subject)
    }

    /// Links a subject to an account.
    func link(
        _ source: IdentitySource, subject: String, to account: UserID, at now: Timestamp,
        in transaction: PostgresTransaction
    ) async throws {
        let statement = source.isIssuer ? Self.linkIssuer : Self.linkProvider
        try await transaction.execute(statement, source.name, subject, account, now.milliseconds)
    }
}
