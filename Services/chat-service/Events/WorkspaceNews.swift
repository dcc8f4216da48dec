import Contract
import EventLoop
import Postgres
import Redis
import ServiceKit
import Wire

/// Follows what becomes of workspaces, channels and their members: rooms are renamed and closed,
/// people taken out of them.
///
/// A removal and a closing get their place in the room's order under the room's lock. Told again,
/// or late, a fact changes nothing.
struct WorkspaceNews: Sendable {
    let rooms: RoomStore
    let dms: DMStore
    let names: RoomNames
    let attachments: Attachments
    let redis: Redis

    /// A room waits no longer for a Redis that stands still; one that is away says so at once. What it takes after that
    /// comes behind messages that the removed may still have got.
    private static let patience = Duration.seconds(1)

    func hear(_ fact: Fact) async throws {
        // Others of its facts are for others.
        guard fact.type.hasPrefix("workspace.") || fact.type.hasPrefix("channel.") else { return }
        let workspace: WorkspaceID = try fact.body.id("workspace_id")
        let version = Int64(fact.body["version"]?.int ?? 0)
        switch fact.type {
        case "channel.changed":
            try await names.rename(try fact.body.id("channel_id"), fact.body["name"]?.string ?? "", version: version)
        case "channel.member.removed":
            let channel: ChannelID = try fact.body.id("channel_id")
            try await remove(try fact.body.id("user_id"), from: [RoomID(channel)], version)
        case "channel.deleted":
            let channel: ChannelID = try fact.body.id("channel_id")
            try await close([RoomID(channel)], of: workspace)
        case "workspace.deleted":
            try await close(try await rooms.list(workspace), of: workspace)
        case "workspace.member.removed":
            let user: UserID = try fact.body.id("user_id")
            let theirs = try await dms.setLeft(true, user, workspace, version: version)
            let channels = try await rooms.list(workspace).filter { $0.kind == .channel }
            try await remove(user, from: channels + theirs.map { RoomID($0) }, version)
        case "workspace.member.added":
            _ = try await dms.setLeft(false, try fact.body.id("user_id"), workspace, version: version)
        default: break
        }
    }

    private func remove(_ user: UserID, from rooms: [RoomID], _ version: Int64) async throws {
        for room in rooms {
            try await self.rooms.remove(user, from: room, version: version) { after in
                await tell(.removed(room: room, after: after, user: user))
            }
        }
    }

    /// Ends rooms for good: nothing is taken any more, then messages and files go.
    private func close(_ rooms: [RoomID], of workspace: WorkspaceID) async throws {
        for room in rooms {
            await tell(.closed(room: room, after: try await self.rooms.close(room, of: workspace)))
            try await attachments.discard(room)
            try await self.rooms.erase(room)
        }
    }

    /// A hint, awaited for its place among the others: who misses it asks who may be in the room.
    private func tell(_ event: RoomEvent) async {
        let command = RedisCommand("PUBLISH", RoomEvent.channel(of: event.room), event.encoded())
        _ = try? await redis.run(command, within: Self.patience)
    }
}
