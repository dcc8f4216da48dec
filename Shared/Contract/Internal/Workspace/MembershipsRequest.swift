public import Wire

/// Asks workspace-service for the channels that users are members of, in all workspaces; 1,000 users at most.
public struct MembershipsRequest: UsersRequest {
    public typealias Reply = MembershipsReply

    public static let route = InternalRoute.idempotentPost("/internal/memberships")

    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }
}

public struct MembershipsReply: WireMessage {
    /// The channels of one user.
    public struct Membership: WireMessage {
        public let user: UserID
        public let channels: [ChannelID]

        public init(user: UserID, channels: [ChannelID]) {
            self.user = user
            self.channels = channels
        }

        public init?(_ json: JSONValue) {
            guard let user: UserID = json.textID("user_id"), let channels: [ChannelID] = json.textIDs("channels")
            else { return nil }
            self.init(user: user, channels: channels)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("user_id", user.description)
                json.field("channels", channels.map(\.description))
            }
        }
    }

    /// Users in no channel are missing.
    public let memberships: [Membership]

    public init(memberships: [Membership]) { self.memberships = memberships }

    public init?(_ json: JSONValue) { self.init(memberships: json.list("memberships")) }

    public var sizeHint: Int { memberships.reduce(32) { $0 + 40 + 10 * $1.channels.count } }

    public func write(to json: inout JSONWriter) { json.object { $0.field("memberships", memberships) } }
}
