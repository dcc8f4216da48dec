public import Wire

/// The facts of payment-service.
public enum PaymentFact: Fact {
    /// A wallet has a new balance.
    case balanceChanged(WalletVersion)

    public enum Name: String, CaseIterable, Sendable {
        case balanceChanged = "balance.changed"
    }

    public static let source = "payment"

    public var name: Name {
        switch self {
        case .balanceChanged: .balanceChanged
        }
    }

    public func write(to json: inout JSONWriter) {
        switch self {
        case .balanceChanged(let wallet): wallet.write(to: &json)
        }
    }

    public init?(_ name: Name, _ body: JSONValue) {
        switch name {
        case .balanceChanged:
            guard let wallet = WalletVersion(body) else { return nil }
            self = .balanceChanged(wallet)
        }
    }
}

/// The coins in a user's wallet. A balance with a larger version replaces one with a smaller version.
public struct WalletVersion: WireMessage {
    public let user: UserID
    public let balance: Int
    public let version: Int64

    public init(user: UserID, balance: Int, version: Int64) {
        self.user = user
        self.balance = balance
        self.version = version
    }

    public init?(_ json: JSONValue) {
        guard let user: UserID = json.textID("user_id"), let balance = json.int("balance"),
            let version = json.int64("version")
        else { return nil }
        self.init(user: user, balance: balance, version: version)
    }

    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.field("user_id", user.description)
            json.field("balance", balance)
            json.field("version", version)
        }
    }
}
