import Crypto
import Wire

/// An order that the server made for a user. Its number is the id of the payment that pays it.
struct PurchaseOrder: Sendable, Equatable {
    let number: OrderNumber
    let user: UserID
    let item: Catalogue.Item

    /// Makes an order with a number that cannot be guessed, in the form of an app with this API key.
    init(of item: Catalogue.Item, for user: UserID, under key: String) {
        let random = SecureRandom.bytes(16).reduce(into: "") { $0 += String(1000 + Int($1)).dropFirst() }
        number = OrderNumber(text: "maru_\(key)_\(random)")
        self.user = user
        self.item = item
    }
}
