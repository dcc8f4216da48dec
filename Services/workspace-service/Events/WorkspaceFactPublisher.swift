import Contract
import Postgres
import ServiceKit
import Wire

/// Publishes changes of workspaces, channels and their members: facts with the transaction that makes the change, and
/// hints that make caches read access again.
struct WorkspaceFactPublisher: Sendable {
    let outbox: Outbox
    let hints: RepeatedHints

    func workspaceChanged(_ workspace: Workspace, in tx: PostgresTransaction) async throws {
        try await append(.workspaceChanged(WorkspaceVersion(workspace)), in: tx)
    }

    func workspaceDeleted(_ workspace: Workspace, in tx: PostgresTransaction) async throws {
        try await append(.workspaceDeleted(WorkspaceVersion(workspace)), in: tx)
    }

    func memberAdded(_ user: UserID, to workspace: Workspace, in tx: PostgresTransaction) async throws {
        let membership = WorkspaceMembership(workspace: WorkspaceVersion(workspace), user: user)
        try await append(.memberAdded(membership), in: tx)
    }

    func memberRemoved(_ user: UserID, from workspace: Workspace, in tx: PostgresTransaction) async throws {
        let membership = WorkspaceMembership(workspace: WorkspaceVersion(workspace), user: user)
        try await append(.memberRemoved(membership), in: tx)
    }

    func channelCreated(_ channel: Channel, of workspace: Workspace, in tx: PostgresTransaction) async throws {
        try await append(.channelCreated(ChannelVersion(channel, of: workspace)), in: tx)
    }

    func channelChanged(_ channel: Channel, of workspace: Workspace, in tx: PostgresTransaction) async throws {
        try await append(.channelChanged(ChannelVersion(channel, of: workspace)), in: tx)
    }

    func channelDeleted(_ channel: Channel, of workspace: Workspace, in tx: PostgresTransaction) async throws {
        try await append(.channelDeleted(ChannelVersion(channel, of: workspace)), in: tx)
    }

    func channelMemberAdded(
        _ user: UserID, to channel: Channel, of workspace: Workspace, in tx: PostgresTransaction
    ) async throws {
        let membership = ChannelMembership(channel: ChannelVersion(channel, of: workspace), user: user)
        try await append(.channelMemberAdded(membership), in: tx)
    }

    func channelMemberRemoved(
        _ user: UserID, from channel: Channel, of workspace: Workspace, in tx: PostgresTransaction
    ) async throws {
        let membership = ChannelMembership(channel: ChannelVersion(channel, of: workspace), user: user)
        try await append(.channelMemberRemoved(membership), in: tx)
    }

    /// Orders the capture of coins that were reserved for a workspace, in the transaction that creates it.
    func capture(_ reserve: Reserve, in tx: PostgresTransaction) async throws {
        let order = SpendOrder(key: reserve.key, user: reserve.user, amount: reserve.amount, reason: reserve.reason)
        try await append(.captureCoins(order), in: tx)
    }

    /// Orders the mail of an invitation, in the transaction that makes the invitation.
    func invitationMailed(_ id: InvitationID, of workspace: Workspace, in tx: PostgresTransaction) async throws {
        let reference = InvitationReference(workspace: WorkspaceVersion(workspace), invitation: id)
        try await append(.invitationMailed(reference), in: tx)
    }

    /// Makes caches read access again: of a workspace, of one of its channels, or of one user in them.
    func hint(_ workspace: WorkspaceID, channel: ChannelID? = nil, user: UserID? = nil) {
        hints.publish(AccessHint(workspace: workspace, channel: channel, user: user))
    }

    /// Tells the clients of a workspace of a change. If Redis does not take that now, they are told later to read the workspace again:
    /// the values may be outdated by then.
    func tell(_ change: DirectoryHint.Change, of workspace: WorkspaceID, _ subject: DirectoryHint.Subject) {
        hints.publish(
            DirectoryHint(change, of: workspace, subject),
            otherwise: DirectoryHint(.edited, of: workspace, .workspace(nil)))
    }

    func tell(_ change: DirectoryHint.Change, _ channel: Channel) {
        tell(change, of: channel.workspace, .channel(channel.id, change == .deleted ? nil : channel.view()))
    }

    /// Tells clients of a workspace that has passed to another owner with its default channel.
    func tellOwner(of workspace: Workspace, _ channel: Channel?) {
        tell(.edited, of: workspace.id, .workspace(workspace.view()))
        if let channel { tell(.edited, channel) }
    }

    /// Tells clients of channels that have passed to another owner.
    func tellOwner(of channels: [Channel]) {
        for channel in channels { tell(.edited, channel) }
    }

    private func append(_ fact: WorkspaceFact, in tx: PostgresTransaction) async throws {
        try await outbox.append(fact, in: tx)
    }
}

extension WorkspaceVersion {
    fileprivate init(_ workspace: Workspace) { self.init(workspace: workspace.id, version: workspace.version) }
}

extension ChannelVersion {
    fileprivate init(_ channel: Channel, of workspace: Workspace) {
        self.init(workspace: WorkspaceVersion(workspace), channel: channel.id, name: channel.name)
    }
}
