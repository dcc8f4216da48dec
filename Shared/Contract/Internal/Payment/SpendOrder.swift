public import Wire

/// Coins of a user to be held or spent under a key: the body of the fact `coins.capture` and of the calls that reserve
/// coins.
public struct SpendOrder: WireMessage {
    /// Names the purchase; unique among all services.
    public let key: String
    public let user: UserID
    public let amount: Int
    /// For readers of the ledger.
    public let reason: String

    public init(key: String, user: UserID, amount: Int, reason: String) {
        self.key = key
        self.user = user
        self.amount = amount
        self.reason = reason
    }

    public init?(_ json: JSONValue) {
        guard let key = json.string("key"), let user: UserID = json.textID("user_id"),
            let amount = json.int("amount")
        else { return nil }
        self.init(key: key, user: user, amount: amount, reason: json.string("reason") ?? "")
    }

    public func write(to json: inout JSONWriter) { json.object { writeMembers(to: &$0) } }

    func writeMembers(to json: inout JSONWriter) {
        json.field("key", key)
        json.field("user_id", user.description)
        json.field("amount", amount)
        json.field("reason", reason)
    }
}
