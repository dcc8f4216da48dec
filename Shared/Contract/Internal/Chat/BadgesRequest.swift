public import Wire

/// Asks chat-service for the badges of users, 1,000 at most.
public struct BadgesRequest: UsersRequest {
    public typealias Reply = BadgesReply

    public static let route = InternalRoute.idempotentPost("/internal/badges")

    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }
}

public struct BadgesReply: WireMessage {
    /// The unread messages of a user in all rooms and followed threads, and those among them that mention the user.
    public struct Badge: WireMessage {
        public let user: UserID
        public let unread: Int64
        public let mentions: Int64

        public init(user: UserID, unread: Int64, mentions: Int64) {
            self.user = user
            self.unread = unread
            self.mentions = mentions
        }

        public init?(_ json: JSONValue) {
            guard let user: UserID = json.textID("user_id"), let unread = json.int64("unread"),
                let mentions = json.int64("mentions")
            else { return nil }
            self.init(user: user, unread: unread, mentions: mentions)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("user_id", user.description)
                json.field("unread", unread)
                json.field("mentions", mentions)
            }
        }
    }

    /// One for each user that was asked for.
    public let badges: [Badge]
    /// Whether rooms are missing, because their part of the database does not answer. An older release never says so.
    public let isPartial: Bool

    public init(badges: [Badge], isPartial: Bool = false) {
        self.badges = badges
        self.isPartial = isPartial
    }

    public init?(_ json: JSONValue) {
        guard json["badges"]?.kind == .array else { return nil }
        self.init(badges: json.list("badges"), isPartial: json.bool("partial") ?? false)
    }

    public var sizeHint: Int { 32 + 64 * badges.count }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("badges", badges)
            if isPartial { json.field("partial", true) }
        }
    }
}
