import Contract
import Wire

/// A room as one user's home screen shows it.
struct RoomSummary: Sendable {
    let state: RoomState
    /// The name of a channel; nil for a DM.
    let name: String?
    /// The other member of a DM; nil for a channel.
    let opponent: MemberView?
    let lastMessage: MessageBody?
}

/// A room's counters and newest message for one user, as the tables have them.
struct RoomState: Sendable {
    let room: RoomID
    /// The newest seq; 0 for a room without messages.
    let head: Int64
    /// The seq up to which the user has read the room.
    let readMarker: Int64
    /// Messages by others after the read marker.
    let unread: Int64
    let last: StoredMessage?
}
