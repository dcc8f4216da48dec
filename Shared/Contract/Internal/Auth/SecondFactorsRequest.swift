public import Wire

/// Asks auth-service which of these users have a second factor, 1,000 users at most.
public struct SecondFactorsRequest: UsersRequest {
    public typealias Reply = SecondFactorsReply

    public static let route = InternalRoute.idempotentPost("/internal/second-factors")

    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }
}

public struct SecondFactorsReply: WireMessage {
    /// The users with a second factor.
    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }

    public init?(_ json: JSONValue) {
        guard let users: [UserID] = json.textIDs("ids") else { return nil }
        self.init(users: users)
    }

    public func write(to json: inout JSONWriter) { json.object { $0.field("ids", users.map(\.description)) } }
}
