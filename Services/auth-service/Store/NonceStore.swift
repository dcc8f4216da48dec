import Postgres
import Wire

/// The table `used_nonce`: digests of nonces that were used.
struct NonceStore: Sendable {
    let database: PostgresPool

    private static let use = Statement.write(
        "use nonce",
        """
        with expired as (delete from used_nonce where expires_at < $3)
        insert into used_nonce (digest, expires_at) values ($1, $2) on conflict (digest) do nothing
        """)

    /// Records a nonce as used until `expiry`; returns false if it was used before.
    func use(_ digest: [UInt8], until expiry: Timestamp, at now: Timestamp) async throws -> Bool {
        try await database.execute(Self.use, digest, expiry.milliseconds, now.milliseconds) == 1
    }
}
