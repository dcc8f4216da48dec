public import Wire

/// Asks auth-service which of these users have a second factor, 1,000 users at most.
public struct SecondFactorsRequest: UsersRequest {
    public typealias Reply = UsersReply

    public static let route = InternalRoute.idempotentPost("/internal/second-factors")

    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }
}
