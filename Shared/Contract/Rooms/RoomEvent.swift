public import Wire

/// An event in a room, in the room's order, as chat-service publishes it for gateways. It has the same form for all
/// client profiles; a gateway renders it for each client.
public enum RoomEvent: Sendable, Equatable {
    /// A user has sent a message.
    case message(RoomMessage)
    /// A message has changed.
    case changed(RoomChange)
    /// The user receives no message of the room with a `seq` above `after`.
    case removed(room: RoomID, after: Int64, user: UserID)
    /// The room has been deleted; `after` is its last `seq`.
    case closed(room: RoomID, after: Int64)
    /// A member's read marker has moved. It has no place in the room's order.
    case read(RoomRead)
    /// A user is typing in the room, or in the thread of the message `thread`. It is published by gateways, has no place in
    /// the order, and may be lost.
    case typing(room: RoomID, user: UserID, thread: Int64?)

    /// The room in which it happened.
    public var room: RoomID {
        switch self {
        case .message(let message): message.room
        case .changed(let change): change.message.room
        case .removed(let room, _, _), .closed(let room, _), .typing(let room, _, _): room
        case .read(let read): read.room
        }
    }

    /// The Redis channel that carries the events of a room.
    public static func channel(of room: RoomID) -> String { "room:\(room)" }
}

extension RoomEvent: WireMessage {
    public var sizeHint: Int { 512 }

    /// The event as JSON. It hides the method of the protocol, so that no call of this hot path is generic.
    public func encoded() -> [UInt8] {
        JSONWriter.bytes(capacity: sizeHint) { json in write(to: &json) }
    }

    public init?(_ json: JSONValue) {
        guard let room = json["room"]?.string.flatMap(RoomID.init) else { return nil }
        switch json["type"]?.string {
        case "message":
            guard let message = RoomMessage(json, room: room) else { return nil }
            self = .message(message)
        case "changed":
            guard let change = RoomChange(json, room: room) else { return nil }
            self = .changed(change)
        case "removed":
            guard let after = json["after"]?.int, let user = json["user_id"]?.string.flatMap(UserID.init) else {
                return nil
            }
            self = .removed(room: room, after: Int64(after), user: user)
        case "closed":
            guard let after = json["after"]?.int else { return nil }
            self = .closed(room: room, after: Int64(after))
        case "read":
            guard let read = RoomRead(json, room: room) else { return nil }
            self = .read(read)
        case "typing":
            guard let user: UserID = json.textID("user_id") else { return nil }
            self = .typing(room: room, user: user, thread: json.int64("thread"))
        default:
            return nil
        }
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            switch self {
            case .message(let message): message.writeMembers(to: &json)
            case .changed(let change): change.writeMembers(to: &json)
            case .removed(let room, let after, let user):
                json.field("type", "removed")
                json.field("room", room.description)
                json.field("after", after)
                json.field("user_id", user.description)
            case .closed(let room, let after):
                json.field("type", "closed")
                json.field("room", room.description)
                json.field("after", after)
            case .read(let read): read.writeMembers(to: &json)
            case .typing(let room, let user, let thread):
                json.field("type", "typing")
                json.field("room", room.description)
                json.field("user_id", user.description)
                if let thread { json.field("thread", thread) }
            }
        }
    }
}
