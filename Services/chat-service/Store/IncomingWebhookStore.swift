import Contract
import Postgres
import Wire

/// The table of incoming webhooks.
struct IncomingWebhookStore: Sendable {
    let database: PostgresPool

    private static let nextID = Statement.write("next webhook id", "select nextval('incoming_webhook_id')")
    private static let insert = Statement.write(
        "insert incoming webhook",
        """
        insert into incoming_webhook
            (id, workspace, channel, channel_name, channel_version, name, bot, secret, created_by, created_at)
        select $1::bigint, $2::bigint, $3::bigint, $4::text, $5::bigint, $6::text, $7::bigint, $8::bytea, $9::bigint,
            $10::bigint
        where (select count(*) from incoming_webhook where workspace = $2 and channel = $3) < $11
        """)
    private static let list = Statement.read(
        "incoming webhooks of channel",
        """
        select id, workspace, channel, channel_name, name, bot, created_by, created_at, rotated_at
        from incoming_webhook where workspace = $2 and channel = $1 order by id
        """)
    private static let bySecret = Statement.read(
        "incoming webhook by secret",
        """
        select id, workspace, channel, channel_name, name, bot, created_by, created_at, rotated_at
        from incoming_webhook where secret = $1
        """)
    private static let rename = Statement.write(
        "rename incoming webhook",
        """
        update incoming_webhook set name = $2 where id = $1 and workspace = $3
        returning id, workspace, channel, channel_name, name, bot, created_by, created_at, rotated_at
        """)
    private static let rotate = Statement.write(
        "rotate incoming webhook",
        """
        update incoming_webhook set secret = $2, rotated_at = $3 where id = $1 and workspace = $4
        returning id, workspace, channel, channel_name, name, bot, created_by, created_at, rotated_at
        """)
    private static let delete = Statement.write(
        "delete incoming webhook", "delete from incoming_webhook where id = $1 and workspace = $2")
    private static let renameChannel = Statement.write(
        "rename channel of webhooks",
        """
        update incoming_webhook set channel_name = $2, channel_version = $3
        where workspace = $4 and channel = $1 and channel_version < $3
        """)
    private static let forgetChannel = Statement.write(
        "delete webhooks of channel", "delete from incoming_webhook where workspace = $2 and channel = $1")
    private static let forgetWorkspace = Statement.write(
        "delete webhooks of workspace", "delete from incoming_webhook where workspace = $1")

    func nextID() async throws -> IncomingWebhookID { try await database.query(Self.nextID).value() }

    /// Inserts a webhook; returns false if its channel has `limit` webhooks.
    ///
    /// - Parameter version: the version of the workspace in which the channel has its name.
    func insert(_ webhook: IncomingWebhook, secret: [UInt8], version: Int64, limit: Int) async throws -> Bool {
        try await database.transaction { tx in
            try await tx.lock(.incomingWebhooks(webhook.channel))
            return try await tx.execute(
                Self.insert, webhook.id, webhook.workspace, webhook.channel, webhook.channelName, version, webhook.name,
                webhook.bot, secret, webhook.createdBy, webhook.createdAt.milliseconds, limit) == 1
        }
    }

    /// The webhooks of a channel in the order of their making.
    func list(of channel: ChannelID, in workspace: WorkspaceID) async throws -> [IncomingWebhook] {
        try await database.query(Self.list, channel, workspace).map(IncomingWebhook.init(row:))
    }

    func find(_ secret: [UInt8]) async throws -> IncomingWebhook? {
        try await database.query(Self.bySecret, secret).first(IncomingWebhook.init(row:))
    }

    func rename(
        _ id: IncomingWebhookID, to name: String, in workspace: WorkspaceID
    ) async throws -> IncomingWebhook? {
        try await database.query(Self.rename, id, name, workspace).first(IncomingWebhook.init(row:))
    }

    func rotate(
        _ id: IncomingWebhookID, to secret: [UInt8], in workspace: WorkspaceID, at now: Timestamp
    ) async throws -> IncomingWebhook? {
        try await database.query(Self.rotate, id, secret, now.milliseconds, workspace).first(IncomingWebhook.init(row:))
    }

    func delete(_ id: IncomingWebhookID, in workspace: WorkspaceID) async throws {
        try await database.execute(Self.delete, id, workspace)
    }

    // MARK: Facts

    /// Renames a channel unless a later version is known.
    func rename(_ channel: ChannelID, in workspace: WorkspaceID, _ name: String, version: Int64) async throws {
        try await database.execute(Self.renameChannel, channel, name, version, workspace)
    }

    /// Deletes the webhooks of a channel that is deleted.
    func forget(_ channel: ChannelID, in workspace: WorkspaceID) async throws {
        try await database.execute(Self.forgetChannel, channel, workspace)
    }

    /// Deletes the webhooks of a workspace that is deleted.
    func forget(_ workspace: WorkspaceID) async throws { try await database.execute(Self.forgetWorkspace, workspace) }
}

extension IncomingWebhook {
    /// Reads the columns id, workspace, channel, channel_name, name, bot, created_by, created_at, rotated_at.
    fileprivate init(row: inout Row) throws(PostgresError) {
        id = try row.next()
        workspace = try row.next()
        channel = try row.next()
        channelName = try row.next()
        name = try row.next()
        bot = try row.next()
        createdBy = try row.next()
        createdAt = try row.next()
        rotatedAt = try row.next()
    }
}
