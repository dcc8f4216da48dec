public import Wire

/// Asks auth-service which of these users an operator has disabled or have deleted their account, 1,000 users at most.
public struct DisabledRequest: UsersRequest {
    public typealias Reply = UsersReply

    public static let route = InternalRoute.idempotentPost("/internal/disabled")

    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }
}
