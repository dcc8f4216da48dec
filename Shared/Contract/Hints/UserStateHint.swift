public import Wire

/// A user has changed something of their own that their other devices show: settings, how a room notifies them, or a
/// draft.
///
/// chat-service publishes it after the commit. It holds no value: a reader asks for the current one.
public struct UserStateHint: Hint {
    public static let redisChannel = "user-state"

    /// The part that has changed.
    public enum Part: String, Sendable, CaseIterable {
        case settings, notify, draft
        /// How far the user has read a thread, or whether the user follows it. Clients are not told; their badges change.
        case thread
    }

    public let user: UserID
    public let part: Part
    /// The room concerned; nil for settings.
    public let room: RoomID?
    /// The session that made the change.
    public let session: SessionID

    public init(user: UserID, part: Part, room: RoomID? = nil, session: SessionID) {
        self.user = user
        self.part = part
        self.room = room
        self.session = session
    }

    public init?(_ json: JSONValue) {
        guard let user: UserID = json.textID("user_id"), let part = json.string("part").flatMap(Part.init),
            let session: SessionID = json.textID("session")
        else { return nil }
        self.init(user: user, part: part, room: json.room("room"), session: session)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("user_id", user.description)
            json.field("part", part.rawValue)
            if let room { json.field("room", room.description) }
            json.field("session", session.description)
        }
    }
}
