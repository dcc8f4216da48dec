public import Wire

/// Asks chat-service which members of a room a message is pushed to now, 1,000 at most, and for the badges of some of
/// them.
public struct PushDecisionsRequest: InternalRequest {
    public typealias Reply = PushDecisionsReply

    public static let route = InternalRoute.idempotentPost("/internal/pushes/decisions")

    public let room: RoomID
    public let seq: Int64
    public let users: [UserID]
    /// The users among them with a device that shows a badge.
    public let badges: [UserID]

    public init(room: RoomID, seq: Int64, users: [UserID], badges: [UserID]) {
        self.room = room
        self.seq = seq
        self.users = users
        self.badges = badges
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        guard let room = RoomID(try request.memberText("room")) else { throw .invalid("room is not valid.") }
        self.init(
            room: room, seq: Int64(try request.memberInteger("seq")), users: try request.memberIDs("users"),
            badges: try request.memberIDs("badges"))
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in
            json.field("room", room.description)
            json.field("seq", seq)
            json.field("users", users.map(\.description))
            json.field("badges", badges.map(\.description))
        }
    }
}

public struct PushDecisionsReply: WireMessage {
    /// Members with the same reason.
    public struct Group: WireMessage {
        public let reason: PushReason
        public let users: [UserID]

        public init(reason: PushReason, users: [UserID]) {
            self.reason = reason
            self.users = users
        }

        public init?(_ json: JSONValue) {
            guard let reason = json.string("reason").flatMap(PushReason.init),
                let users: [UserID] = json.textIDs("users")
            else { return nil }
            self.init(reason: reason, users: users)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("reason", reason.rawValue)
                json.field("users", users.map(\.description))
            }
        }
    }

    /// The unread messages of a user in all rooms.
    public struct Badge: WireMessage {
        public let user: UserID
        public let count: Int64

        public init(user: UserID, count: Int64) {
            self.user = user
            self.count = count
        }

        public init?(_ json: JSONValue) {
            guard let user: UserID = json.textID("user_id"), let count = json.int64("count") else { return nil }
            self.init(user: user, count: count)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("user_id", user.description)
                json.field("count", count)
            }
        }
    }

    public let groups: [Group]
    /// The badges of the notified users among those asked for.
    public let badges: [Badge]
    /// The text of the message as it is now; nil if the message is deleted, and from older versions of the service.
    public let content: String?

    public init(groups: [Group], badges: [Badge], content: String? = nil) {
        self.groups = groups
        self.badges = badges
        self.content = content
    }

    public init?(_ json: JSONValue) {
        guard json["groups"]?.kind == .array else { return nil }
        self.init(groups: json.list("groups"), badges: json.list("badges"), content: json["content"]?.string)
    }

    public var sizeHint: Int {
        groups.reduce(64) { $0 + 12 * $1.users.count } + 40 * badges.count + (content?.utf8.count ?? 0)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("groups", groups)
            json.field("badges", badges)
            if let content { json.field("content", content) }
        }
    }
}
