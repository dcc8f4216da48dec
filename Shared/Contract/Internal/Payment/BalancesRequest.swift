public import Wire

/// Asks payment-service for the coins that users can spend, 1,000 users at most. The first request for a user credits
/// the welcome grant.
public struct BalancesRequest: UsersRequest {
    public typealias Reply = BalancesReply

    public static let route = InternalRoute.idempotentPost("/internal/balances")

    public let users: [UserID]

    public init(users: [UserID]) { self.users = users }
}

public struct BalancesReply: WireMessage {
    /// A user and the coins that they can spend.
    public struct Balance: WireMessage {
        public let user: UserID
        public let balance: Int

        public init(user: UserID, balance: Int) {
            self.user = user
            self.balance = balance
        }

        public init?(_ json: JSONValue) {
            guard let user: UserID = json.textID("user_id"), let balance = json.int("balance") else { return nil }
            self.init(user: user, balance: balance)
        }

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.field("user_id", user.description)
                json.field("balance", balance)
            }
        }
    }

    public let balances: [Balance]

    public init(balances: [Balance]) { self.balances = balances }

    public init?(_ json: JSONValue) {
        guard json["balances"]?.kind == .array else { return nil }
        self.init(balances: json.list("balances"))
    }

    public var sizeHint: Int { 64 * balances.count + 32 }

    public func write(to json: inout JSONWriter) { json.object { $0.field("balances", balances) } }
}
