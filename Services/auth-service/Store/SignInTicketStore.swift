import Contract
import Postgres
import Wire

/// The tables `sign_in_ticket` and `remembered_device`.
struct SignInTicketStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement.write(
        "insert sign-in ticket",
        """
        insert into sign_in_ticket (digest, account, credentials, profile, created_at, expires_at)
        values ($1, $2, $3, $4, $5, $6)
        """)
    private static let takeTry = Statement.write(
        "take try of sign-in ticket",
        """
        update sign_in_ticket set tries = tries + 1
        where digest = $1 and profile = $2 and tries < $3 and expires_at > $4
        returning account, credentials
        """)
    private static let delete = Statement.write("delete sign-in ticket", "delete from sign_in_ticket where digest = $1")
    private static let remember = Statement.write(
        "remember device",
        "insert into remembered_device (digest, account, created_at, expires_at) values ($1, $2, $3, $4)")
    private static let isRemembered = Statement.read(
        "remembered device",
        "select exists (select from remembered_device where digest = $1 and account = $2 and expires_at > $3)")
    private static let forget = Statement.write(
        "forget sign-in tickets",
        """
        with devices as (delete from remembered_device where expires_at <= $1)
        delete from sign_in_ticket where expires_at <= $1
        """)

    func insert(
        _ digest: [UInt8], _ pending: SignInTickets.Pending, profile: String, at now: Timestamp, until end: Timestamp
    ) async throws {
        try await database.execute(
            Self.insert, digest, pending.account, pending.credentials, profile, now.milliseconds, end.milliseconds)
    }

    /// Counts a try; nil if the ticket is unknown, old, used up or of another app.
    func takeTry(
        _ digest: [UInt8], profile: String, atMost tries: Int, at now: Timestamp
    ) async throws -> SignInTickets.Pending? {
        try await database.query(Self.takeTry, digest, profile, tries, now.milliseconds).first {
            row throws(PostgresError) in
            SignInTickets.Pending(account: try row.next(), credentials: try row.next())
        }
    }

    /// Deletes a ticket; false if another call did.
    func delete(_ digest: [UInt8]) async throws -> Bool { try await database.execute(Self.delete, digest) == 1 }

    func remember(_ digest: [UInt8], of account: UserID, at now: Timestamp, until end: Timestamp) async throws {
        try await database.execute(Self.remember, digest, account, now.milliseconds, end.milliseconds)
    }

    func isRemembered(_ digest: [UInt8], of account: UserID, at now: Timestamp) async throws -> Bool {
        try await database.query(Self.isRemembered, digest, account, now.milliseconds).value()
    }

    func forget(expiredAt now: Timestamp) async throws { try await database.execute(Self.forget, now.milliseconds) }
}
