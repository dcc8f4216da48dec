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
    let erasure: RoomErasure
    let redis: Redis

    /// A room waits no longer for a Redis that stands still; one that is away says so at once. What it takes after that
    /// comes behind messages that the removed may still have got.
    private static let patience = Duration.seconds(1)
    /// Rooms that change together.
    private static let mostLocked = 100

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
            try await remove(user, from: (channels + theirs.map { RoomID($0) }).sorted(), version)
        case "workspace.member.added":
            _ = try await dms.setLeft(false, try fact.body.id("user_id"), workspace, version: version)
        default: break
        }
    }

    /// Takes a user out of rooms, many in a transaction: each is locked until all of them have been told.
    private func remove(_ user: UserID, from rooms: [RoomID], _ version: Int64) async throws {
        for some in rooms.pieces(of: Self.mostLocked) {
            try await self.rooms.remove(user, from: some, version: version) { places in
                await tell(places.map { .removed(room: $0.room, after: $0.after, user: user) })
            }
        }
    }

    /// Ends rooms for good: nothing is taken any more in any of them before messages and files begin to go.
    private func close(_ rooms: [RoomID], of workspace: WorkspaceID) async throws {
        for some in rooms.pieces(of: Self.mostLocked) {
            let places = try await self.rooms.close(some, of: workspace)
            await tell(places.map { .closed(room: $0.room, after: $0.after) })
        }
        erasure.begin()
    }

    /// Hints, awaited for their place among the others: who misses one asks who may be in the room.
    private func tell(_ events: [RoomEvent]) async {
        _ = await redis.run(
            events.map { RedisCommand("PUBLISH", RoomEvent.channel(of: $0.room), $0.encoded()) },
            within: Self.patience)
    }
}

extension Array {
    /// The elements in order, so many at a time.
    fileprivate func pieces(of size: Int) -> some Sequence<[Element]> {
        stride(from: 0, to: count, by: size).lazy.map { Array(self[$0...].prefix(size)) }
    }
}
