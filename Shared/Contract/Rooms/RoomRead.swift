public import Wire

/// A member's read marker in a room, after it has moved.
///
/// chat-service publishes it at most once a second for each member and room, and does not wait for it. Sending a message
/// moves its author's marker as well, and makes no event of its own.
public struct RoomRead: Sendable, Equatable {
    /// The members that are shown the marker, beside the user's own devices.
    public enum Audience: Sendable, Equatable {
        /// Nobody: the room is large, or the user does not share read markers.
        case nobody
        /// The members of the room, without those that do not share their own marker.
        case members(except: [UserID])

        /// Whether the marker is shown to another member.
        public func includes(_ user: UserID) -> Bool {
            switch self {
            case .nobody: false
            case .members(let hidden): !hidden.contains(user)
            }
        }
    }

    public let room: RoomID
    public let user: UserID
    /// The user has read the messages up to this one.
    public let seq: Int64
    /// The unread messages of the room as native clients count them, for the user's own devices.
    public let unread: Int64
    /// The unread mentions of the user in the room, for the user's own devices.
    public let mentions: Int64
    public let audience: Audience

    public init(room: RoomID, user: UserID, seq: Int64, unread: Int64, mentions: Int64, audience: Audience) {
        self.room = room
        self.user = user
        self.seq = seq
        self.unread = unread
        self.mentions = mentions
        self.audience = audience
    }
}

extension RoomRead {
    /// Reads the members of a room event of type `read`.
    init?(_ json: JSONValue, room: RoomID) {
        guard let user: UserID = json.textID("user_id"), let seq = json.int64("seq"),
            let unread = json.int64("unreadCount"), let mentions = json.int64("mentionCount")
        else { return nil }
        let hidden: [UserID]? = json.textIDs("hiddenFrom")
        self.init(
            room: room, user: user, seq: seq, unread: unread, mentions: mentions,
            audience: hidden.map { .members(except: $0) } ?? .nobody)
    }

    /// Writes the members of a room event of type `read`.
    func writeMembers(to json: inout JSONWriter) {
        json.field("type", "read")
        json.field("room", room.description)
        json.field("user_id", user.description)
        json.field("seq", seq)
        json.field("unreadCount", unread)
        json.field("mentionCount", mentions)
        if case .members(let hidden) = audience { json.field("hiddenFrom", hidden.map(\.description)) }
    }
}
