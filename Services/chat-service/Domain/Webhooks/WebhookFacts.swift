import Contract
import Wire

/// Puts the events of members and channels into the queues of subscriptions. A repeated fact adds nothing.
struct WebhookFacts: Sendable {
    let store: WebhookIntakeStore
    let subscriptions: WebhookSubscriptionStore
    /// Wakes the sender.
    let wake: @Sendable () -> Void

    func take(_ fact: WorkspaceFact) async throws {
        switch fact {
        case .memberAdded(let change): try await member(change.user, "added", nil, change.workspace)
        case .memberRemoved(let change): try await member(change.user, "removed", nil, change.workspace)
        case .channelMemberAdded(let change):
            try await member(change.user, "added", change.channel.channel, change.channel.workspace)
        case .channelMemberRemoved(let change):
            try await member(change.user, "removed", change.channel.channel, change.channel.workspace)
        case .channelCreated(let channel): try await self.channel(channel, "created")
        case .channelChanged(let channel): try await self.channel(channel, "changed")
        case .channelDeleted(let channel): try await self.channel(channel, "deleted")
        case .workspaceDeleted(let workspace): try await subscriptions.forget(workspace.workspace)
        case .workspaceChanged, .captureCoins, .invitationMailed: return
        }
    }

    private func member(
        _ user: UserID, _ action: String, _ channel: ChannelID?, _ workspace: WorkspaceVersion
    ) async throws {
        try await add(
            .member, key: "\(action)-\(user)-\(channel?.description ?? "")-\(workspace.version)", channel, workspace
        ) { json in
            json.field("action", action)
            json.field("user_id", user.description)
            if let channel { json.field("channel_id", channel.description) }
        }
    }

    private func channel(_ channel: ChannelVersion, _ action: String) async throws {
        try await add(
            .channel, key: "\(action)-\(channel.channel)-\(channel.workspace.version)", channel.channel,
            channel.workspace
        ) { json in
            json.field("action", action)
            json.field("channel_id", channel.channel.description)
            json.field("name", channel.name)
        }
    }

    private func add(
        _ event: WebhookEvent, key: String, _ channel: ChannelID?, _ workspace: WorkspaceVersion,
        _ write: (inout JSONWriter) -> Void
    ) async throws {
        let detail = String(decoding: JSONWriter.bytes { json in json.object(write) }, as: UTF8.self)
        try await store.add(
            event, detail: detail, key: "\(event.rawValue)-\(key)", in: workspace, channel: channel, at: .now)
        wake()
    }
}
