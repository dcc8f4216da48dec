public import Wire

/// Makes payment-service hold coins. A repeated key has the same reply; the reply is 409 if the key names another user
/// or amount, and 402 if the user has too few coins.
public struct ReserveRequest: InternalRequest {
    public typealias Reply = ReserveReply

    public static let route = InternalRoute.post("/internal/reserves")

    public let order: SpendOrder

    public init(order: SpendOrder) { self.order = order }

    public init(reading request: InternalRequestReader) throws(Failure) {
        self.init(
            order: SpendOrder(
                key: try request.memberText("key"), user: try request.memberID("user_id"),
                amount: try request.memberInteger("amount"), reason: request.member("reason")?.string ?? ""))
    }

    public func write(to request: inout InternalRequestWriter) { request.body { order.writeMembers(to: &$0) } }
}

public struct ReserveReply: WireMessage {
    public let key: String
    /// The coins that the user can spend afterwards.
    public let balance: Int

    public init(key: String, balance: Int) {
        self.key = key
        self.balance = balance
    }

    public init?(_ json: JSONValue) {
        guard let balance = json.int("balance") else { return nil }
        self.init(key: json.string("key") ?? "", balance: balance)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("key", key)
            json.field("state", ReserveState.reserved.rawValue)
            json.field("balance", balance)
        }
    }
}

/// Makes payment-service return held coins. The reply is 404 if nothing is held under the key, and 409 if the coins are
/// captured.
public struct ReleaseRequest: InternalRequest {
    public typealias Reply = ReserveStateReply

    public static let route = InternalRoute.post("/internal/reserves/{key}/release")

    public let key: String

    public init(key: String) { self.key = key }

    public init(reading request: InternalRequestReader) throws(Failure) { self.init(key: try request.text("key")) }

    public func write(to request: inout InternalRequestWriter) { request.parameter(key) }
}

/// The state of reserved coins.
public enum ReserveState: String, Sendable {
    case reserved, released
}

public struct ReserveStateReply: WireMessage {
    public let state: ReserveState

    public init(state: ReserveState) { self.state = state }

    public init?(_ json: JSONValue) {
        guard let state = json.string("state").flatMap(ReserveState.init) else { return nil }
        self.init(state: state)
    }

    public func write(to json: inout JSONWriter) { json.object { $0.field("state", state.rawValue) } }
}
