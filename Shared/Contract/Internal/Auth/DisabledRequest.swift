public import Wire

/// Asks auth-service which of these users an operator has disabled, 1,000 users at most.
public struct DisabledRequest: UsersRequest {
    public typealias Reply = DisabledReply

    public static let route = InternalRoute.idempotentPost("/internal/disabled")

    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }
}

public struct DisabledReply: WireMessage {
    /// The users that are disabled.
    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }

    public init?(_ json: JSONValue) {
        guard let users: [UserID] = json.textIDs("ids") else { return nil }
        self.init(users: users)
    }

    public func write(to json: inout JSONWriter) { json.object { $0.field("ids", users.map(\.description)) } }
}
