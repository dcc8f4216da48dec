import Contract
import Postgres
import Wire

/// The table `ban`: users that may not come back to a workspace.
struct BanStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement.write(
        "insert ban",
        """
        with answered as (delete from join_request where workspace = $1 and user_id = $2)
        insert into ban (workspace, user_id, banned_by, banned_at) values ($1, $2, $3, $4) on conflict do nothing
        """)
    private static let delete = Statement.write("delete ban", "delete from ban where workspace = $1 and user_id = $2")
    private static let list = Statement.read(
        "bans of workspace",
        """
        select user_id, banned_by, banned_at from ban where workspace = $1 and (banned_at, user_id) < ($2, $3)
        order by banned_at desc, user_id desc limit $4
        """)

    /// Bans a user, and ends the user's request to join. Returns whether the user was not banned before.
    ///
    /// - Parameter moderator: nil for an operator.
    func insert(
        _ user: UserID, in workspace: WorkspaceID, by moderator: UserID?, at now: Timestamp,
        _ transaction: PostgresTransaction
    ) async throws -> Bool {
        try await transaction.execute(Self.insert, workspace, user, moderator, now.milliseconds) > 0
    }

    /// Returns whether the user was banned.
    func delete(
        _ user: UserID, in workspace: WorkspaceID, _ transaction: PostgresTransaction
    ) async throws -> Bool {
        try await transaction.execute(Self.delete, workspace, user) > 0
    }

    /// A page of the bans, newest first.
    func list(_ workspace: WorkspaceID, _ page: Page) async throws -> [Ban] {
        try await database.query(Self.list, workspace, page.moment, page.id, page.limit).map {
            row throws(PostgresError) in
            Ban(user: try row.next(), bannedBy: try row.next(), bannedAt: try row.next())
        }
    }
}
