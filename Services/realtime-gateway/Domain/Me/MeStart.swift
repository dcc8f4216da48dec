import Contract
import Wire

/// What a `/me` socket begins from.
struct MeStart: Sendable {
    let reply: MyRoomsReply
    /// The workspaces where the user sees every member and channel. A guest sees only those of their channels.
    let whollySeen: Set<WorkspaceID>

    var rooms: [MyRoomsReply.Room] { reply.rooms }
    var workspaces: Set<WorkspaceID> { Set(rooms.map(\.workspace)) }
    var sizeHint: Int { reply.sizeHint + 16 * whollySeen.count }
}
