public import Wire

/// What happens in a room, in the room's order, as chat-service tells it to gateways: neutral, for no client's eyes.
public enum RoomEvent: Sendable, Equatable {
    /// Someone wrote.
    case message(RoomMessage)
    /// The user gets nothing of the room with a seq above `after`.
    case removed(room: RoomID, after: Int64, user: UserID)
    /// The room is gone.
    case closed(room: RoomID, after: Int64)

    /// The room that it happened in.
    public var room: RoomID {
        switch self {
        case .message(let message): message.room
        case .removed(let room, _, _), .closed(let room, _): room
        }
    }
}

/// A message with all that a gateway needs to render it for any client.
public struct RoomMessage: Sendable, Equatable {
    public let room: RoomID
    public let workspace: WorkspaceID
    /// The channel's name; nil in a DM.
    public let name: String?
    public let body: MessageBody
    /// The session that sent it.
    public let session: SessionID

    public init(room: RoomID, workspace: WorkspaceID, name: String?, body: MessageBody, session: SessionID) {
        self.room = room
        self.workspace = workspace
        self.name = name
        self.body = body
        self.session = session
    }
}

extension RoomEvent {
    /// The Redis channel that carries the events of a room.
    public static func channel(of room: RoomID) -> String { "room:\(room)" }

    /// The event as JSON.
    public func encoded() -> [UInt8] {
        JSONWriter.bytes(capacity: 512) { json in json.value(self) }
    }
}

extension RoomEvent: JSONWritable {
    public func write(to json: inout JSONWriter) {
        json.object { json in
            switch self {
            case .message(let message): message.writeMembers(to: &json)
            case .removed(let room, let after, let user):
                json.field("type", "removed")
                json.field("room", room.description)
                json.field("after", after)
                json.field("user_id", user.description)
            case .closed(let room, let after):
                json.field("type", "closed")
                json.field("room", room.description)
                json.field("after", after)
            }
        }
    }
}

extension RoomMessage {
    fileprivate func writeMembers(to json: inout JSONWriter) {
        json.field("type", "message")
        json.field("room", room.description)
        json.field("seq", body.seq)
        json.field("id", body.id.description)
        json.field("workspace_id", workspace.description)
        if let name { json.field("name", name) }
        json.object("author") { json in
            json.field("user_id", body.author.id.description)
            json.field("email", body.author.email)
            json.field("nickname", body.author.nickname)
            if let image = body.author.profileImage { json.field("profileImage", image) }
        }
        json.field("session", session.description)
        json.field("content", body.content)
        json.field("files", body.files)
        json.field("createdAt", body.createdAt.milliseconds)
        if let clientID = body.clientID { json.field("client_id", clientID) }
    }
}
