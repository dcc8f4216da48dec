public import Wire

/// Asks chat-service for the starts of the `/me` sockets of several users, like `MyRoomsRequest` for each.
public struct StartsRequest: InternalRequest {
    public typealias Reply = StartsReply

    public static let route = InternalRoute.idempotentPost("/internal/starts")
    /// It has a thousand rooms, or all rooms of one user. A room can take 30 KB, mostly for the reactions to its last message.
    public static let largestReply = 64 * 1024 * 1024

    public struct User: WireMessage, Equatable {
        public let id: UserID
        public let channels: [MyRoomsRequest.Channel]

        public init(id: UserID, channels: [MyRoomsRequest.Channel]) {
            self.id = id
            self.channels = channels
        }

        public init?(_ json: JSONValue) {
            guard let id: UserID = json.textID("user_id"),
                let channels: [MyRoomsRequest.Channel] = json.wholeList("channels")
            else { return nil }
            self.init(id: id, channels: channels)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("user_id", id.description)
                json.field("channels", channels)
            }
        }
    }

    /// The name of the client profile for which the views are written.
    public let profile: String
    public let users: [User]

    public init(profile: String, users: [User]) {
        self.profile = profile
        self.users = users
    }

    public init(reading request: InternalRequestReader) throws(Failure) {
        let users: [User] = try request.memberList("users")
        guard users.count <= InternalRequestReader.bulkLimit else { throw .invalid("users is not valid.") }
        self.init(profile: try request.memberText("profile"), users: users)
    }

    public func write(to request: inout InternalRequestWriter) {
        request.body { json in
            json.field("profile", profile)
            json.field("users", users)
        }
    }
}

/// Users without a readable start are missing from `starts`.
public struct StartsReply: WireMessage {
    public struct Start: WireMessage {
        public let user: UserID
        public let rooms: MyRoomsReply

        public init(user: UserID, rooms: MyRoomsReply) {
            self.user = user
            self.rooms = rooms
        }

        public init?(_ json: JSONValue) {
            guard let user: UserID = json.textID("user_id"), let rooms = json["start"].flatMap(MyRoomsReply.init)
            else { return nil }
            self.init(user: user, rooms: rooms)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("user_id", user.description)
                json.field("start", rooms)
            }
        }
    }

    public let starts: [Start]
    /// Users for a call of their own, because the reply has too many rooms already.
    public let left: [UserID]

    public init(starts: [Start], left: [UserID] = []) {
        self.starts = starts
        self.left = left
    }

    public init?(_ json: JSONValue) { self.init(starts: json.list("starts"), left: json.textIDs("left") ?? []) }

    public var sizeHint: Int { starts.reduce(32) { $0 + 32 + $1.rooms.sizeHint } }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("starts", starts)
            json.field("left", left.map(\.description))
        }
    }
}
