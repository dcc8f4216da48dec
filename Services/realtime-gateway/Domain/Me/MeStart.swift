import Contract
import Wire

/// The data that a `/me` socket begins with.
struct MeStart: Sendable {
    let reply: MyRoomsReply
    /// The workspaces where the user sees every member and channel. A guest sees only those of their channels.
    let whollySeen: Set<WorkspaceID>
    /// How often the user's read markers had moved when it was read, as Redis counts them; nil if that is unknown.
    var readMoves: Int64?

    var rooms: [MyRoomsReply.Room] { reply.rooms }
    var workspaces: Set<WorkspaceID> { Set(rooms.map(\.workspace)) }
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
