import Contract
import HTTP

/// The part of payment-service in the reference of the API.
enum Reference {
    static let all = ServiceReference([store])

    private static let item = Schema.Entity(
        "Item", "An amount of coins for sale.",
        [.has("item", .text(example: "100 Coin")), .has("amount", .digits, "The price in won.")])

    static let store = RouteGroup(
        "Store", "Coins, which workspaces cost.",
        [
            RouteDescription(
                .everyone, .get, "/v1/store/item/list", "Lists what is for sale", reply: .json(.list(.entity(item)))),
            RouteDescription(
                .everyone, .post, "/v1/store/orders", "Makes an order",
                note: "`merchant_uid` is the payment id for PortOne V2.", body: .json([.has("item", .text)]),
                reply: .created(
                    .object([
                        .has("merchant_uid", .text), .has("item", .text), .has("amount", .digits, "The price in won."),
                    ])), errors: [.invalidRequest]),
            RouteDescription(
                .everyone, .post, "/v1/store/pay/validation", "Checks a payment and credits its coins",
                note: "A payment is credited once, however often it is checked.",
                body: .json([.has("imp_uid", .text), .has("merchant_uid", .text)]),
                reply: .json(.entity(BillView.entity)),
                errors: [.invalidRequest, .unknownPayment, .invalidPayment]),
        ])
}

extension BillView {
    /// The form of `write`.
    static let entity = Schema.Entity(
        "Bill", "A credited payment.",
        [
            .has("billing_id", .id), .has("merchant_uid", .text), .has("amount", .count).only(.january2024),
            .has("buyer_id", .id).only(.july2024, .native), .has("productName", .text).only(.july2024, .native),
            .has("price", .count).only(.july2024, .native), .has("sesacCoin", .count),
            .has("success", .flag).only(.january2024), .has("createdAt", .time).only(.january2024),
            .has("paidAt", .time).only(.july2024, .native),
        ])
}
