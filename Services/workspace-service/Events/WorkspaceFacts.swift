import Contract
import Postgres
import Redis
import ServiceKit
import Wire

/// What this service tells the others. A fact is told for good with its transaction;
/// a hint makes caches forget at once.
struct WorkspaceFacts: Sendable {
    let outbox: Outbox
    let redis: Redis

    func workspaceChanged(_ workspace: Workspace, in tx: PostgresTransaction) async throws {
        try await append("workspace.changed", workspace, in: tx)
    }

    func workspaceDeleted(_ workspace: Workspace, in tx: PostgresTransaction) async throws {
        try await append("workspace.deleted", workspace, in: tx)
    }

    func memberAdded(_ user: UserID, to workspace: Workspace, in tx: PostgresTransaction) async throws {
        try await append("workspace.member.added", workspace, in: tx) { $0.field("user_id", user.description) }
    }

    func memberRemoved(_ user: UserID, from workspace: Workspace, in tx: PostgresTransaction) async throws {
        try await append("workspace.member.removed", workspace, in: tx) { $0.field("user_id", user.description) }
    }

    func channelChanged(_ channel: Channel, of workspace: Workspace, in tx: PostgresTransaction) async throws {
        try await append("channel.changed", workspace, in: tx) { Self.write(channel, &$0) }
    }

    func channelDeleted(_ channel: Channel, of workspace: Workspace, in tx: PostgresTransaction) async throws {
        try await append("channel.deleted", workspace, in: tx) { Self.write(channel, &$0) }
    }

    func channelMemberAdded(
        _ user: UserID, to channel: Channel, of workspace: Workspace, in tx: PostgresTransaction
    ) async throws {
        try await append("channel.member.added", workspace, in: tx) { json in
            Self.write(channel, &json)
            json.field("user_id", user.description)
        }
    }

    func channelMemberRemoved(
        _ user: UserID, from channel: Channel, of workspace: Workspace, in tx: PostgresTransaction
    ) async throws {
        try await append("channel.member.removed", workspace, in: tx) { json in
            Self.write(channel, &json)
            json.field("user_id", user.description)
        }
    }

    /// Coins that were reserved for the workspace are spent now that it exists.
    func capture(_ reserve: Reserve, in tx: PostgresTransaction) async throws {
        try await outbox.append("coins.capture", in: tx) { json in
            json.field("key", reserve.key)
            json.field("user_id", reserve.user.description)
            json.field("amount", reserve.amount)
            json.field("reason", reserve.reason)
        }
    }

    /// Makes caches of access forget what they know of a workspace, of one channel of it, or of one user in it.
    func hint(_ workspace: WorkspaceID, channel: ChannelID? = nil, user: UserID? = nil) {
        let hint = JSONWriter.bytes { json in
            json.object { json in
                json.field("workspace_id", workspace.description)
                if let channel { json.field("channel_id", channel.description) }
                if let user { json.field("user_id", user.description) }
            }
        }
        redis.hint(hint, to: HintChannel.access)
    }

    private func append(
        _ type: StaticString, _ workspace: Workspace, in tx: PostgresTransaction,
        _ more: (inout JSONWriter) -> Void = { _ in }
    ) async throws {
        try await outbox.append(type, in: tx) { json in
            json.field("workspace_id", workspace.id.description)
            json.field("version", workspace.version)
            more(&json)
        }
    }

    private static func write(_ channel: Channel, _ json: inout JSONWriter) {
        json.field("channel_id", channel.id.description)
        json.field("name", channel.name)
    }
}
