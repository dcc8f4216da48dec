public import Wire

/// Asks auth-service about the blocks of users, 1,000 users at most.
public struct BlocksRequest: UsersRequest {
    public typealias Reply = BlocksReply

    public static let route = InternalRoute.idempotentPost("/internal/blocks")

    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }
}

public struct BlocksReply: WireMessage {
    /// Users without blocks are missing.
    public let blocks: [AuthClient.Blocks]

    public init(blocks: [AuthClient.Blocks]) { self.blocks = blocks }

    public init?(_ json: JSONValue) { self.init(blocks: json.list("blocks")) }

    public func write(to json: inout JSONWriter) { json.object { $0.field("blocks", blocks) } }
}

extension AuthClient {
    /// The blocks of one user, in both directions.
    public struct Blocks: WireMessage {
        public let user: UserID
        /// The users that the user has blocked.
        public let blocked: [UserID]
        /// The users that have blocked the user.
        public let blockers: [UserID]

        public init(user: UserID, blocked: [UserID], blockers: [UserID]) {
            self.user = user
            self.blocked = blocked
            self.blockers = blockers
        }

        public init?(_ json: JSONValue) {
            guard let user: UserID = json.textID("user_id"), let blocked: [UserID] = json.textIDs("blocked"),
                let blockers: [UserID] = json.textIDs("blockers")
            else { return nil }
            self.init(user: user, blocked: blocked, blockers: blockers)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("user_id", user.description)
                json.field("blocked", blocked.map(\.description))
                json.field("blockers", blockers.map(\.description))
            }
        }
    }
}
