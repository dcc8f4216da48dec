import Contract
import Postgres
import Wire

/// The table `device`: push tokens of sessions.
struct DeviceStore: Sendable {
    let database: PostgresPool

    private static let put = Statement.write(
        "put device",
        """
        insert into device (token, account, session, updated_at)
        select $1, $2, id, $4 from session where id = $3 and revoked_at is null for share
        on conflict (token) do update
        set account = excluded.account, session = excluded.session, updated_at = excluded.updated_at
        """)
    private static let replace = Statement.write(
        "replace devices of session", "delete from device where session = $1 and token <> $2")
    private static let ofAccounts = Statement.read(
        "devices of accounts",
        """
        select d.account, d.token, s.profile from device d join session s on s.id = d.session
        where d.account = any($1::bigint[]) and s.revoked_at is null and s.expires_at > $2
        """)
    private static let prune = Statement.write("prune device", "delete from device where token = $1")

    /// Makes `token` the session's device; an empty token removes the device.
    func set(_ token: String, of session: SessionID, _ account: UserID, at now: Timestamp) async throws {
        try await database.transaction(attempts: 3) { tx in
            // It locks the session before its devices, as the end of a session does.
            if !token.isEmpty {
                try await tx.execute(Self.put, token, account, session, now.milliseconds)
            }
            try await tx.execute(Self.replace, session, token)
        }
    }

    /// Returns the devices of the accounts' open sessions.
    func devices(of accounts: [UserID], at now: Timestamp) async throws -> [AuthClient.Device] {
        try await database.query(Self.ofAccounts, accounts, now.milliseconds).map { row throws(PostgresError) in
            AuthClient.Device(user: try row.next(), token: try row.next(), profile: try row.next())
        }
    }

    /// Removes a device, because its provider refused the token.
    func remove(_ token: String) async throws { try await database.execute(Self.prune, token) }
}
