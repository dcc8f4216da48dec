import Contract
import Wire

/// The room that a message is written to, with what its events say about the room.
struct MessageTarget: Sendable {
    let room: RoomID
    let workspace: WorkspaceID
    /// The channel's name; nil in a DM.
    let name: String?

    var key: RoomKey { RoomKey(workspace: workspace, id: room) }
}

extension MessageTarget {
    init(_ channel: ChannelAccess) {
        self.init(room: channel.room, workspace: channel.workspace, name: channel.name)
    }

    init(_ dm: DM) { self.init(room: dm.room, workspace: dm.workspace, name: nil) }
}

extension ChannelAccess {
    var room: RoomID { RoomID(id) }
}
