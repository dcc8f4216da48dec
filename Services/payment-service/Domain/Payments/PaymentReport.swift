import Wire

/// A provider's report about a payment, without data about the payer.
struct PaymentReport: Sendable, Equatable {
    /// The state of a payment. A provider's state that is not listed here counts as `open`.
    enum Status: String, Sendable {
        /// Not paid yet, and not ended.
        case open
        case paid
        /// Refunded completely.
        case cancelled
        case failed
    }

    /// The provider's id of the payment: `imp_uid` of PortOne V1, the payment id of V2.
    let reference: String
    let order: OrderNumber
    /// The name of the item.
    let item: String
    /// The amount in the currency's smallest unit.
    let amount: Int
    /// The refunded part of the amount.
    let cancelledAmount: Int
    /// ISO 4217.
    let currency: String
    let status: Status
    /// Nil if it was never paid.
    let paidAt: Timestamp?
}
