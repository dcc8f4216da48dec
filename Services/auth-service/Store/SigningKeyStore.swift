import Crypto
import Postgres
import Wire

/// The table `signing_key`: the private keys that sign tokens.
struct SigningKeyStore: Sendable {
    let database: PostgresPool

    private static let lock = Statement.write(
        "lock signing keys", "select pg_advisory_xact_lock(hashtextextended('keys', 0))")
    private static let all = Statement.read(
        "signing keys", "select private_key, created_at from signing_key order by created_at desc, id")
    private static let insert = Statement.write(
        "insert signing key", "insert into signing_key (id, private_key, created_at) values ($1, $2, $3)")
    private static let deleteExpired = Statement.write(
        "delete expired signing keys", "delete from signing_key where created_at < $1")

    /// A key and the time it was made.
    struct Stored: Sendable {
        let key: SigningKey
        let createdAt: Timestamp
    }

    /// Returns all keys, newest first. It first deletes keys older than `retention`, and makes a new key if the newest
    /// is older than `rotation`. A lock makes concurrent instances agree on one new key.
    func keys(rotation: Duration, retention: Duration, now: Timestamp) async throws -> [Stored] {
        try await database.transaction { tx in
            try await tx.query(Self.lock)
            try await tx.execute(Self.deleteExpired, (now - retention).milliseconds)
            let stored = try await Self.read(tx)
            if let newest = stored.first, newest.createdAt > now - rotation { return stored }
            let key = SigningKey.generate()
            try await tx.execute(Self.insert, key.id, key.pem, now.milliseconds)
            return [Stored(key: key, createdAt: now)] + stored
        }
    }

    private static func read(_ tx: PostgresTransaction) async throws -> [Stored] {
        let rows = try await tx.query(Self.all).map { row throws(PostgresError) in
            (pem: try row.next(as: String.self), createdAt: try row.next(as: Timestamp.self))
        }
        return try rows.map { Stored(key: try SigningKey(pem: $0.pem), createdAt: $0.createdAt) }
    }
}
