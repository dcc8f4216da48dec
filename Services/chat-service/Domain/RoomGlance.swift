import Wire

/// A room as it is for one user.
struct RoomGlance: Sendable {
    let room: RoomID
    /// The newest seq; 0 where nobody has written.
    let head: Int64
    /// How far the user has read.
    let position: Int64
    /// Messages of others behind the position.
    let unread: Int64
    let last: StoredMessage?
}
