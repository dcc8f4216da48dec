import Postgres
import Wire

/// The table of nonces that have been used.
struct NonceStore: Sendable {
    let database: PostgresPool

    private static let use = Statement.write(
        "use nonce",
        """
        with forgotten as (delete from used_nonce where expires_at < $3)
        insert into used_nonce (digest, expires_at) values ($1, $2) on conflict (digest) do nothing
        """)

    /// Notes that the nonce with this digest is used until `expiry`; false where it was before.
    func use(_ digest: [UInt8], until expiry: Timestamp, at now: Timestamp) async throws -> Bool {
        try await database.execute(Self.use, digest, expiry.milliseconds, now.milliseconds) == 1
    }
}
