public import Wire

/// Asks workspace-service, for the starts of `/me` sockets, for the channels of users and the workspaces that they see as a whole.
public struct StartChannelsRequest: UsersRequest {
    public typealias Reply = StartChannelsReply

    public static let route = InternalRoute.idempotentPost("/internal/starts/channels")
    public static let largestReply = StartsRequest.largestReply

    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }
}

/// Users in no channel are missing.
public struct StartChannelsReply: WireMessage {
    public struct User: WireMessage, Equatable {
        public let id: UserID
        /// The channels that the user is in, in all workspaces.
        public let channels: [MyRoomsRequest.Channel]
        /// The workspaces where the user is not a guest.
        public let whollySeen: [WorkspaceID]

        public init(id: UserID, channels: [MyRoomsRequest.Channel], whollySeen: [WorkspaceID]) {
            self.id = id
            self.channels = channels
            self.whollySeen = whollySeen
        }

        public init?(_ json: JSONValue) {
            guard let id: UserID = json.textID("user_id"), let whollySeen: [WorkspaceID] = json.textIDs("wholly_seen")
            else { return nil }
            self.init(id: id, channels: json.list("channels"), whollySeen: whollySeen)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("user_id", id.description)
                json.field("channels", channels)
                json.field("wholly_seen", whollySeen.map(\.description))
            }
        }
    }

    public let users: [User]

    public init(users: [User]) { self.users = users }

    public init?(_ json: JSONValue) { self.init(users: json.list("users")) }

    public var sizeHint: Int { users.reduce(32) { $0 + 64 + 80 * $1.channels.count } }

    public func write(to json: inout JSONWriter) { json.object { $0.field("users", users) } }
}
