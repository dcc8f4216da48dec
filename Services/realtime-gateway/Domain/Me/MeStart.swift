import Contract
import Wire

/// The data that a `/me` socket begins with.
struct MeStart: Sendable {
    let reply: MyRoomsReply
    /// The workspaces where the user sees every member and channel. A guest sees only those of their channels.
    let whollySeen: Set<WorkspaceID>
    /// The user's channels in workspaces out of reach.
    let unavailableChannels: Set<RoomID>
    /// How often the user's read markers had moved when it was read, as Redis counts them; nil if that is unknown.
    var readMoves: Int64?

    /// - Parameter channels: all channels of the user.
    init(reply: MyRoomsReply, whollySeen: Set<WorkspaceID>, channels: [MyRoomsRequest.Channel]) {
        self.reply = reply
        self.whollySeen = whollySeen
        let missing = reply.unavailable.isEmpty ? [] : channels.filter { reply.unavailable.contains($0.workspace) }
        unavailableChannels = Set(missing.map { RoomID($0.id) })
    }

    var rooms: [MyRoomsReply.Room] { reply.rooms }
    /// The workspaces whose rooms are missing because they are out of reach.
    var unavailable: Set<WorkspaceID> { Set(reply.unavailable) }
    var workspaces: Set<WorkspaceID> { Set(rooms.map(\.workspace)).union(reply.unavailable) }
    var machineRooms: [MeMachine.Room] {
        rooms.map { MeMachine.Room(id: $0.room, workspace: $0.workspace, head: $0.head, unread: $0.unread) }
    }
    var sizeHint: Int { reply.sizeHint + 16 * whollySeen.count }

    /// The read markers of rooms with other counts than in an earlier start.
    func reads(of user: UserID, since earlier: [RoomID: MeMachine.Room]) -> [RoomRead] {
        rooms.compactMap { room in
            guard let before = earlier[room.room], room.unread != before.unread || room.head.seq != before.head.seq,
                let summary = try? JSONValue(parsing: room.summary), let seq = summary["lastReadSeq"]?.int
            else { return nil }
            return RoomRead(
                room: room.room, user: user, seq: Int64(seq), unread: room.unread,
                mentions: Int64(summary["mentionCount"]?.int ?? 0), audience: .nobody)
        }
    }
}
