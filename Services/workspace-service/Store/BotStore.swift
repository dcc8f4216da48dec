import Contract
import Postgres
import Wire

/// The table of bots.
struct BotStore: Sendable {
    let database: PostgresPool

    /// A bot cannot set up a second factor, so no workspace may require one of it.
    private static let insert = Statement.write(
        "insert bot",
        """
        with exempted as (
            insert into second_factor (user_id, is_on, version) values ($2, true, 9223372036854775807)
            on conflict do nothing
        )
        insert into bot (workspace, user_id, created_by, created_at)
        select $1, $2, $3, $4 where (select count(*) from bot where workspace = $1) < $5
        """)
    private static let delete = Statement.write(
        "delete bot",
        """
        with exempted as (delete from second_factor where user_id = $2)
        delete from bot where workspace = $1 and user_id = $2
        """)
    private static let list = Statement.read(
        "bots", "select user_id, created_by, created_at from bot where workspace = $1 order by created_at, user_id")

    /// Returns false if the workspace, which the caller has locked, has `most` bots.
    func insert(
        _ bot: UserID, in workspace: WorkspaceID, by user: UserID, at now: Timestamp, atMost most: Int,
        _ tx: PostgresTransaction
    ) async throws -> Bool {
        try await tx.execute(Self.insert, workspace, bot, user, now.milliseconds, most) > 0
    }

    func delete(_ bot: UserID, in workspace: WorkspaceID, _ tx: PostgresTransaction) async throws {
        try await tx.execute(Self.delete, workspace, bot)
    }

    /// The bots of a workspace in the order of their making.
    func list(_ workspace: WorkspaceID) async throws -> [Bot] {
        try await database.query(Self.list, workspace).map { row throws(PostgresError) in
            Bot(user: try row.next(), createdBy: try row.next(), createdAt: try row.next())
        }
    }
}
