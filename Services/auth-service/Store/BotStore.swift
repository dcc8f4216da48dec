import Contract
import Postgres
import Wire

/// The accounts of bots: rows of the table `account` that belong to a workspace.
struct BotStore: Sendable {
    let database: PostgresPool

    private static let put = Statement.write(
        "put bot",
        """
        insert into account (email, email_key, nickname, created_at, bot_workspace, bot_key)
        values ($1, $1, $2, $3, $4, $5)
        on conflict (bot_workspace, bot_key) where bot_workspace is not null do update
        set nickname = excluded.nickname, version = account.version + 1
        where account.deleted_at is null
        returning id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace
        """)
    private static let close = Statement.write(
        "close bots of workspace",
        """
        update account set nickname = $3, profile_image = null, version = version + 1, deleted_at = $2
        where bot_workspace = $1 and deleted_at is null
        returning id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace
        """)

    private static let closeOne = Statement.write(
        "close bot",
        """
        update account set nickname = $4, profile_image = null, version = version + 1, deleted_at = $3
        where id = $1 and bot_workspace = $2 and deleted_at is null
        returning id, email, nickname, phone, profile_image, provider, created_at, version, bot_workspace
        """)

    /// Makes the bot with this key, or renames it; nil if its workspace has been deleted.
    func put(
        _ key: String, in workspace: WorkspaceID, nickname: String, address: String, at now: Timestamp,
        in transaction: PostgresTransaction
    ) async throws -> Account? {
        try await transaction.query(Self.put, address, nickname, now.milliseconds, workspace, key)
            .first(Account.init(row:))
    }

    /// Ends the bots of a workspace, and returns them. Their rows stay, because messages name their author by its id.
    func close(
        of workspace: WorkspaceID, nickname: String, at now: Timestamp, in transaction: PostgresTransaction
    ) async throws -> [Account] {
        try await transaction.query(Self.close, workspace, now.milliseconds, nickname).map(Account.init(row:))
    }

    /// Ends one bot, and returns it; nothing if it has ended before.
    func close(
        _ bot: UserID, of workspace: WorkspaceID, nickname: String, at now: Timestamp,
        in transaction: PostgresTransaction
    ) async throws -> [Account] {
        try await transaction.query(Self.closeOne, bot, workspace, now.milliseconds, nickname).map(Account.init(row:))
    }
}
