import Contract
import Crypto
import ServiceKit
import Wire

/// Makes, lists and ends the incoming webhooks of channels, for the managers of the channel.
///
/// The entry of the audit log comes first: no change is without one.
struct IncomingWebhooks: Sendable {
    let store: IncomingWebhookStore
    let access: RoomAccess
    let auth: AuthClient
    let limits: IncomingWebhookLimits
    let moderation: ModerationCache

    private static let nameLength = 1...30

    /// A webhook with its secret, which is shown once.
    typealias Fresh = (webhook: IncomingWebhook, secret: BearerSecret)

    /// The webhooks of a channel in the order of their making.
    func list(of channel: ChannelID, in workspace: WorkspaceID, for user: UserID) async throws -> [IncomingWebhook] {
        let channel = try await access.managedChannel(channel, in: workspace, by: user)
        return try await store.list(of: channel.id, in: workspace)
    }

    func create(
        _ name: String, in channel: ChannelID, of workspace: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws -> Fresh {
        let channel = try await access.managedChannel(channel, in: workspace, by: user)
        try await requireWriting(user, in: workspace)
        let name = try Self.checked(name)
        guard try await store.list(of: channel.id, in: workspace).count < limits.ofChannel else { throw Self.tooMany }
        let id = try await store.nextID()
        let bot = try await auth.bot(BotRequest(workspace: workspace, key: "webhook-\(id)", nickname: name))
        try await record(.webhookCreated, id, of: channel.id, in: workspace, by: user, from: origin)
        let secret = BearerSecret()
        let webhook = IncomingWebhook(
            id: id, workspace: workspace, channel: channel.id, channelName: channel.name, name: name, bot: bot,
            createdBy: user, createdAt: .now, rotatedAt: nil)
        let isInserted = try await store.insert(
            webhook, secret: secret.hash, version: channel.version, limit: limits.ofChannel)
        guard isInserted else { throw Self.tooMany }
        // The fact that deletes the webhooks of a deleted channel, or renames them, may have come before the row.
        do {
            let current = try await access.managedChannel(channel.id, in: workspace, by: user)
            if current.name != channel.name {
                try await store.rename(current.id, in: workspace, current.name, version: current.version)
            }
        } catch {
            try await store.delete(id, in: workspace)
            throw error
        }
        return (webhook, secret)
    }

    func rename(
        _ id: IncomingWebhookID, to name: String, in channel: ChannelID, of workspace: WorkspaceID, by user: UserID,
        from origin: AuditOrigin
    ) async throws -> IncomingWebhook {
        try await require(id, in: channel, of: workspace, by: user)
        try await requireWriting(user, in: workspace)
        let name = try Self.checked(name)
        try await record(.webhookRenamed, id, of: channel, in: workspace, by: user, from: origin)
        _ = try await auth.bot(BotRequest(workspace: workspace, key: "webhook-\(id)", nickname: name))
        guard let webhook = try await store.rename(id, to: name, in: workspace) else { throw Failure.notFound }
        return webhook
    }

    /// Gives the webhook another address. The old one ends at once.
    func rotate(
        _ id: IncomingWebhookID, in channel: ChannelID, of workspace: WorkspaceID, by user: UserID,
        from origin: AuditOrigin
    ) async throws -> Fresh {
        try await require(id, in: channel, of: workspace, by: user)
        try await requireWriting(user, in: workspace)
        try await record(.webhookRotated, id, of: channel, in: workspace, by: user, from: origin)
        let secret = BearerSecret()
        guard let webhook = try await store.rotate(id, to: secret.hash, in: workspace, at: .now) else {
            throw Failure.notFound
        }
        return (webhook, secret)
    }

    /// The messages and their author stay.
    func delete(
        _ id: IncomingWebhookID, in channel: ChannelID, of workspace: WorkspaceID, by user: UserID,
        from origin: AuditOrigin
    ) async throws {
        try await require(id, in: channel, of: workspace, by: user)
        try await record(.webhookDeleted, id, of: channel, in: workspace, by: user, from: origin)
        try await store.delete(id, in: workspace)
    }

    /// A muted or suspended member gets no address to write by.
    private func requireWriting(_ user: UserID, in workspace: WorkspaceID) async throws {
        try await moderation.rules(of: workspace).requireWriting(user)
    }

    private func require(
        _ id: IncomingWebhookID, in channel: ChannelID, of workspace: WorkspaceID, by user: UserID
    ) async throws {
        let channel = try await access.managedChannel(channel, in: workspace, by: user)
        guard try await store.list(of: channel.id, in: workspace).contains(where: { $0.id == id }) else {
            throw Failure.notFound
        }
    }

    private func record(
        _ action: AuditAction, _ id: IncomingWebhookID, of channel: ChannelID, in workspace: WorkspaceID,
        by user: UserID, from origin: AuditOrigin
    ) async throws {
        let now = Timestamp.now
        try await access.workspaces.record(
            AuditEvent(
                action, by: user, subject: RoomID(channel).description, detail: ["webhook": id.description],
                from: origin),
            of: workspace, key: "chat-\(action.rawValue)-\(id)-\(now.milliseconds)", at: now)
    }

    /// Shipped apps show the name as a nickname.
    private static func checked(_ text: String) throws(Failure) -> String {
        let name = text.nfc
        guard name.hasLength(in: nameLength), name.hasVisibleCharacter, !name.hasDeceptiveCharacters else {
            throw .invalid("A name must have 1 to 30 visible characters.")
        }
        return name
    }

    private static let tooMany = Failure.invalid("The channel has too many webhooks.")
}
