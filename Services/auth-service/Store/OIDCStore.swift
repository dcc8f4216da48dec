import Contract
import Crypto
import Postgres
import Wire

/// The table `oidc_sign_in`: sign-ins that have been sent to their issuer.
struct OIDCStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement.write(
        "insert sign-in with issuer",
        """
        insert into oidc_sign_in (digest, issuer, state, nonce, seed, redirect, profile, expires_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        """)
    private static let take = Statement.write(
        "take sign-in with issuer",
        """
        delete from oidc_sign_in where digest = $1 and profile = $2 and expires_at > $3
        returning issuer, state, nonce, seed, redirect, expires_at
        """)
    private static let forget = Statement.write(
        "forget sign-ins with issuers", "delete from oidc_sign_in where expires_at <= $1")

    /// A sign-in as its reply is checked against it.
    struct Begun: Sendable {
        let issuer: String
        /// Hashes.
        let state, nonce: [UInt8]
        let seed: [UInt8]
        let redirect: String
        let expiresAt: Timestamp
    }

    func insert(_ attempt: OIDCAttempt, issuer: String, profile: String, until end: Timestamp) async throws {
        try await database.execute(
            Self.insert, attempt.ticket.hash, issuer, OIDCAttempt.hash(attempt.state), OIDCAttempt.hash(attempt.nonce),
            attempt.seed, attempt.redirect, profile, end.milliseconds)
    }

    /// Takes a sign-in out of the table; nil if it is unknown, old, used or of another app.
    func take(_ digest: [UInt8], profile: String, at now: Timestamp) async throws -> Begun? {
        try await database.query(Self.take, digest, profile, now.milliseconds).first { row throws(PostgresError) in
            Begun(
                issuer: try row.next(), state: try row.next(), nonce: try row.next(), seed: try row.next(),
                redirect: try row.next(), expiresAt: try row.next())
        }
    }

    func forget(expiredAt now: Timestamp) async throws { try await database.execute(Self.forget, now.milliseconds) }
}
