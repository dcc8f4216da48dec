import Contract
import Crypto
import Postgres
import ServiceKit
import Wire

/// The tables `session` and `refresh_token`.
struct SessionStore: Sendable {
    let database: PostgresPool

    private static let open = Statement.write(
        "open session",
        """
        with opened as (
            insert into session (account, profile, created_at, expires_at)
            select id, $2, $3, $4 from account
            where id = $1 and deleted_at is null and disabled_at is null
                and ($6::bigint is null or credentials = $6)
                and ($7::bigint is null or second_factor_version = $7)
            -- A change of the password or of the second factor waits for this row and finds the session.
            for share
            returning id, account, profile, created_at, expires_at, revoked_at
        ), token as (
            insert into refresh_token (hash, session, created_at) select $5, id, created_at from opened
        )
        select id, account, profile, created_at, expires_at, revoked_at from opened
        """)
    private static let byRefresh = Statement.read(
        "session by refresh token",
        """
        select s.id, s.account, s.profile, s.created_at, s.expires_at, s.revoked_at, t.used_at
        from refresh_token t join session s on s.id = t.session where t.hash = $1
        """)
    private static let ofAccount = Statement.read(
        "open sessions of account",
        """
        select id, account, profile, created_at, expires_at, revoked_at from session
        where account = $1 and revoked_at is null and expires_at > $2 order by created_at desc, id desc
        """)
    private static let isDisabled = Statement.read(
        "account is disabled", "select exists (select from account where id = $1 and disabled_at is not null)")
    private static let owner = Statement.read("account of session", "select account from session where id = $1")
    private static let revoke = Statement.write(
        "revoke session",
        """
        with revoked as (
            update session set revoked_at = $3 where id = $1 and account = $2 and revoked_at is null returning id
        ), deleted_device as (
            delete from device using revoked where device.session = revoked.id
        )
        select id from revoked
        """)
    private static let revokeAll = Statement.write(
        "revoke sessions of account",
        """
        with revoked as (
            update session set revoked_at = $2
            where account = $1 and revoked_at is null and expires_at > $2 and id is distinct from $3 returning id
        ), deleted_device as (
            delete from device using revoked where device.session = revoked.id
        ), forgotten as (
            delete from remembered_device where account = $1
        )
        select id from revoked
        """)
    private static let revokedSince = Statement.read(
        "revocations since",
        """
        select id, account, revoked_at from session where revoked_at >= $1 order by revoked_at
        fetch first $2 rows with ties
        """)
    private static let deleteExpired = Statement.write(
        "delete expired sessions",
        """
        delete from session where id in (
            select id from session where expires_at <= $1 order by expires_at limit $2 for update skip locked
        )
        """)
    private static let use = Statement.write(
        "use refresh token",
        """
        with used as (
            update refresh_token set used_at = coalesce(used_at, $2) where hash = $1 returning used_at, parent
        ), chosen as (
            update refresh_token set successor = coalesce(successor, $1) from used where hash = used.parent
            returning successor
        )
        select used.used_at, coalesce(chosen.successor, $1) = $1 from used left join chosen on true
        """)
    private static let add = Statement.write(
        "add refresh token",
        "insert into refresh_token (hash, session, created_at, parent) values ($1, $2, $3, $4)")

    /// Opens a session with its first refresh token; nil if the account is gone, disabled, or has other credentials or another
    /// second factor by now.
    func open(
        _ account: UserID, credentials: Int64?, secondFactor version: Int64?, profile: String, token: BearerSecret,
        from now: Timestamp, to expiry: Timestamp, in transaction: PostgresTransaction
    ) async throws -> Session? {
        try await transaction.query(
            Self.open, account, profile, now.milliseconds, expiry.milliseconds, token.hash, credentials, version
        ).first(Session.init(row:))
    }

    /// Returns the session of a refresh token, and when the token was used up, if it was.
    func find(_ token: BearerSecret) async throws -> (session: Session, usedAt: Timestamp?)? {
        try await database.query(Self.byRefresh, token.hash).first { row throws(PostgresError) in
            (try Session(row: &row), try row.next())
        }
    }

    /// Returns the account's open sessions, newest first.
    func open(of account: UserID, at now: Timestamp) async throws -> [Session] {
        try await database.query(Self.ofAccount, account, now.milliseconds).map(Session.init(row:))
    }

    /// Whether an operator keeps the user of an account from signing in.
    func isDisabled(_ account: UserID) async throws -> Bool {
        try await database.query(Self.isDisabled, account).value()
    }

    /// The account of a session; nil if there is no such session.
    func account(of session: SessionID) async throws -> UserID? {
        try await database.query(Self.owner, session).first { row throws(PostgresError) in try row.next() }
    }

    /// Ends a session of the account and deletes its device; returns false if there is no such open session.
    func revoke(_ id: SessionID, of account: UserID, at now: Timestamp) async throws -> Bool {
        !(try await database.query(Self.revoke, id, account, now.milliseconds).isEmpty)
    }

    /// Ends all open sessions of the account, deletes their devices and returns their ids. The next sign-in of every device asks for the
    /// second factor again.
    func revokeAll(of account: UserID, at now: Timestamp) async throws -> [SessionID] {
        try await revokeAll(of: account, except: nil, at: now, in: database)
    }

    /// The same, without one session, within a transaction.
    func revokeAll(
        of account: UserID, except kept: SessionID?, at now: Timestamp, in queryable: some Queryable
    ) async throws -> [SessionID] {
        try await queryable.query(Self.revokeAll, account, now.milliseconds, kept).map { row throws(PostgresError) in
            try row.next()
        }
    }

    /// Returns the first `limit` revocations since a moment, oldest first, and further ones of the same moment as the
    /// last.
    func revocations(since: Timestamp, limit: Int) async throws -> [Revocation] {
        try await database.query(Self.revokedSince, since.milliseconds, Int64(limit)).map { row throws(PostgresError) in
            Revocation(session: try row.next(), user: try row.next(), at: try row.next())
        }
    }

    /// Deletes expired sessions with their tokens and devices; none of their tokens lives longer.
    func deleteExpired(at now: Timestamp) async throws {
        while try await database.execute(Self.deleteExpired, now.milliseconds, Self.deletedAtOnce) == Self.deletedAtOnce
        {}
    }

    private static let deletedAtOnce = 1000

    /// A use of a rotating refresh token.
    struct Use: Sendable {
        /// When the token was used first.
        let firstAt: Timestamp
        /// Whether it is the successor that was used first. Another successor of the same token means that two clients
        /// have the token.
        let isFirstSuccessor: Bool
    }

    /// Uses up a token and adds its successor in one transaction.
    func rotate(
        _ token: BearerSecret, to next: BearerSecret, of session: SessionID, at now: Timestamp
    ) async throws -> Use {
        try await database.transaction { tx in
            let use = try await tx.query(Self.use, token.hash, now.milliseconds).only { row throws(PostgresError) in
                Use(firstAt: try row.next(), isFirstSuccessor: try row.next())
            }
            try await tx.execute(Self.add, next.hash, session, now.milliseconds, token.hash)
            return use
        }
    }
}

extension Session {
    /// Reads id, account, profile, created_at, expires_at, revoked_at.
    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        account = try row.next()
        profile = try row.next()
        createdAt = try row.next()
        expiresAt = try row.next()
        revokedAt = try row.next()
    }
}
