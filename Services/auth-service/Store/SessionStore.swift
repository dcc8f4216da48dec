import Contract
import Postgres
import ServiceKit
import Wire

/// The tables of sessions and their refresh tokens.
struct SessionStore: Sendable {
    let database: PostgresPool

    private static let open = Statement(
        "open session",
        """
        with opened as (
            insert into session (account, profile, created_at, expires_at) values ($1, $2, $3, $4)
            returning id, account, profile, created_at, expires_at, revoked_at
        ), token as (
            insert into refresh_token (hash, session, created_at) select $5, id, created_at from opened
        )
        select id, account, profile, created_at, expires_at, revoked_at from opened
        """)
    private static let byRefresh = Statement(
        "session by refresh token",
        """
        select s.id, s.account, s.profile, s.created_at, s.expires_at, s.revoked_at, t.used_at
        from refresh_token t join session s on s.id = t.session where t.hash = $1
        """)
    private static let ofAccount = Statement(
        "open sessions of account",
        """
        select id, account, profile, created_at, expires_at, revoked_at from session
        where account = $1 and revoked_at is null and expires_at > $2 order by created_at desc, id desc
        """)
    private static let revoke = Statement(
        "revoke session",
        """
        with revoked as (
            update session set revoked_at = $3 where id = $1 and account = $2 and revoked_at is null returning id
        ), forgotten as (
            delete from device using revoked where device.session = revoked.id
        )
        select id from revoked
        """)
    private static let revokeAll = Statement(
        "revoke sessions of account",
        """
        with revoked as (
            update session set revoked_at = $2 where account = $1 and revoked_at is null and expires_at > $2 returning id
        ), forgotten as (
            delete from device using revoked where device.session = revoked.id
        )
        select id from revoked
        """)
    private static let revokedSince = Statement(
        "revocations since",
        """
        select id, account, revoked_at from session where revoked_at >= $1 order by revoked_at
        fetch first $2 rows with ties
        """)
    private static let forget = Statement(
        "forget expired sessions",
        """
        delete from session where id in (
            select id from session where expires_at <= $1 order by expires_at limit $2 for update skip locked
        )
        """)
    private static let use = Statement(
        "use refresh token",
        "update refresh_token set used_at = coalesce(used_at, $2) where hash = $1 returning used_at")
    private static let add = Statement(
        "add refresh token", "insert into refresh_token (hash, session, created_at) values ($1, $2, $3)")

    /// Opens a session with its first refresh token.
    func open(
        _ account: UserID, profile: String, token: RefreshToken, from now: Timestamp, to expiry: Timestamp
    ) async throws -> Session {
        try await database.query(
            Self.open, account, profile, now.milliseconds, expiry.milliseconds, token.hash
        ).only(Session.init(row:))
    }

    /// The session of a refresh token, and when the token was used up, if it was.
    func find(_ token: RefreshToken) async throws -> (session: Session, usedAt: Timestamp?)? {
        try await database.query(Self.byRefresh, token.hash).first { row throws(PostgresError) in
            (try Session(row: &row), try row.next())
        }
    }

    /// The account's open sessions, newest first.
    func open(of account: UserID, at now: Timestamp) async throws -> [Session] {
        try await database.query(Self.ofAccount, account, now.milliseconds).map(Session.init(row:))
    }

    /// Ends a session of the account and forgets its devices; false where there is no such open session.
    func revoke(_ id: SessionID, of account: UserID, at now: Timestamp) async throws -> Bool {
        !(try await database.query(Self.revoke, id, account, now.milliseconds).isEmpty)
    }

    /// Ends all open sessions of the account and forgets their devices; tells which they were.
    func revokeAll(of account: UserID, at now: Timestamp) async throws -> [SessionID] {
        try await database.query(Self.revokeAll, account, now.milliseconds).map { row throws(PostgresError) in
            try row.next()
        }
    }

    /// The first `limit` revocations from a moment on, oldest first, and all of the same moment as the last of them.
    func revocations(since: Timestamp, limit: Int) async throws -> [Revocation] {
        try await database.query(Self.revokedSince, since.milliseconds, Int64(limit)).map { row throws(PostgresError) in
            Revocation(session: try row.next(), user: try row.next(), at: try row.next())
        }
    }

    /// Forgets sessions that are over, with all that belongs to them: no token of theirs lives longer.
    func forgetExpired(at now: Timestamp) async throws {
        while try await database.execute(Self.forget, now.milliseconds, Self.forgottenAtOnce) == Self.forgottenAtOnce {}
    }

    private static let forgottenAtOnce = 1000

    /// Uses up a token and adds the next one, in one transaction; tells when the token was used up first.
    func rotate(
        _ token: RefreshToken, to next: RefreshToken, of session: SessionID, at now: Timestamp
    ) async throws -> Timestamp {
        try await database.transaction { tx in
            let usedAt: Timestamp = try await tx.query(Self.use, token.hash, now.milliseconds).value()
            try await tx.execute(Self.add, next.hash, session, now.milliseconds)
            return usedAt
        }
    }
}

extension Session {
    /// id, account, profile, created_at, expires_at, revoked_at.
    init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        account = try row.next()
        profile = try row.next()
        createdAt = try row.next()
        expiresAt = try row.next()
        revokedAt = try row.next()
    }
}
