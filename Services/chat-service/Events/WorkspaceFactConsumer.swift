import Contract
import EventLoop
import Postgres
import Redis
import ServiceKit
import Wire

/// Applies changes of workspaces, channels and their members to rooms: renames them, closes them, and removes users
/// from them.
///
/// A removal and a closing get their order point under the room's lock. A fact that is repeated or late changes
/// nothing.
struct WorkspaceFactConsumer: Sendable {
    let rooms: RoomStore
    let dms: DMStore
    let names: RoomNames
    let erasure: RoomErasure
    let standings: StandingStore
    let webhooks: IncomingWebhookStore
    let subscribers: WebhookFacts
    let commands: CommandStore
    let redis: Redis
    /// Hears of all workspaces; nil for tables on one server.
    let finder: WorkspaceFinder?

    /// How long a locked room waits for a Redis that hangs; one that is down refuses at once. If Redis publishes the
    /// removal later, the removed user may have received newer messages by then.
    private static let publishTimeout = Duration.seconds(1)
    /// Rooms that are changed in one transaction.
    private static let mostLocked = 100

    func handle(_ fact: WorkspaceFact) async throws {
        // So that its rooms are erased also while a part of other workspaces is out of reach.
        if let finder, let workspace = fact.workspace { try await finder.add(workspace, to: .rooms) }
        try await apply(fact)
        try await repeatHint(of: fact)
        try await subscribers.take(fact)
    }

    private func apply(_ fact: WorkspaceFact) async throws {
        switch fact {
        case .channelChanged(let change):
            let (workspace, version) = (change.workspace.workspace, change.workspace.version)
            try await names.rename(change.channel, in: workspace, change.name, version: version)
            try await webhooks.rename(change.channel, in: workspace, change.name, version: version)
        case .channelMemberRemoved(let removal):
            let (workspace, version) = (removal.channel.workspace.workspace, removal.channel.workspace.version)
            try await remove(removal.user, from: [RoomID(removal.channel.channel)], of: workspace, version)
        case .channelDeleted(let deletion):
            try await close([RoomID(deletion.channel)], of: deletion.workspace.workspace)
            try await webhooks.forget(deletion.channel, in: deletion.workspace.workspace)
        case .workspaceDeleted(let deletion):
            try await close(try await rooms.list(ofDeleted: deletion.workspace), of: deletion.workspace)
            try await standings.forget(deletion.workspace)
            try await webhooks.forget(deletion.workspace)
            try await commands.forget(deletion.workspace)
        case .memberRemoved(let removal):
            try await commands.forget(removal.user, in: removal.workspace.workspace)
            try await remove(removal)
        case .memberAdded(let addition):
            _ = try await dms.setLeft(
                false, addition.user, addition.workspace.workspace, version: addition.workspace.version)
        case .workspaceChanged, .channelCreated, .channelMemberAdded, .captureCoins, .invitationMailed:
            break
        }
    }

    /// Repeats the hint of a changed membership: workspace-service loses it if it ends, or Redis, right after the commit.
    /// Then a channel without messages, which has no order of events, would not know of a removal.
    private func repeatHint(of fact: WorkspaceFact) async throws {
        let hint: AccessHint
        switch fact {
        case .memberAdded(let change), .memberRemoved(let change):
            hint = AccessHint(workspace: change.workspace.workspace, user: change.user)
        case .channelMemberAdded(let change), .channelMemberRemoved(let change):
            let channel = change.channel
            hint = AccessHint(workspace: channel.workspace.workspace, channel: channel.channel, user: change.user)
        case .channelChanged, .channelDeleted, .workspaceDeleted, .workspaceChanged, .channelCreated, .captureCoins,
            .invitationMailed:
            return
        }
        try await redis.publish(hint.encoded(), to: AccessHint.redisChannel)
    }

    /// Removes a user from all channels of a workspace and from their DMs in it.
    private func remove(_ removal: WorkspaceMembership) async throws {
        let (workspace, version) = (removal.workspace.workspace, removal.workspace.version)
        let dmRooms = try await dms.setLeft(true, removal.user, workspace, version: version)
        let channels = try await rooms.list(workspace).filter { $0.kind == .channel }
        try await remove(removal.user, from: (channels + dmRooms.map { RoomID($0) }).sorted(), of: workspace, version)
    }

    /// Removes a user from rooms, many in a transaction. Each room stays locked until the removals of all of them are
    /// published.
    private func remove(
        _ user: UserID, from rooms: [RoomID], of workspace: WorkspaceID, _ version: Int64
    ) async throws {
        for some in rooms.pieces(of: Self.mostLocked) {
            try await self.rooms.remove(user, from: some, of: workspace, version: version) { removals in
                await publish(removals.map { .removed(room: $0.room, after: $0.after, user: user) })
            }
        }
    }

    /// Closes rooms for good. All of them refuse new messages before the deletion of messages and files begins.
    private func close(_ rooms: [RoomID], of workspace: WorkspaceID) async throws {
        for some in rooms.pieces(of: Self.mostLocked) {
            let closings = try await self.rooms.close(some, of: workspace)
            await publish(closings.map { .closed(room: $0.room, after: $0.after) })
        }
        erasure.begin()
    }

    /// Publishes events and waits until they have their order among the messages. A gateway that misses one checks
    /// access again.
    private func publish(_ events: [RoomEvent]) async {
        _ = await redis.run(events.map { .publish($0) }, within: Self.publishTimeout)
    }
}

extension Array {
    /// The elements in order, `size` at a time.
    fileprivate func pieces(of size: Int) -> some Sequence<[Element]> {
        stride(from: 0, to: count, by: size).lazy.map { Array(self[$0...].prefix(size)) }
    }
}

extension WorkspaceFact {
    /// The workspace of a fact that concerns rooms.
    fileprivate var workspace: WorkspaceID? {
        switch self {
        case .workspaceChanged(let body), .workspaceDeleted(let body): body.workspace
        case .memberAdded(let body), .memberRemoved(let body): body.workspace.workspace
        case .channelCreated(let body), .channelChanged(let body), .channelDeleted(let body): body.workspace.workspace
        case .channelMemberAdded(let body), .channelMemberRemoved(let body): body.channel.workspace.workspace
        case .captureCoins, .invitationMailed: nil
        }
    }
}
