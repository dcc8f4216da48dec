import Wire

/// What a provider says of a payment; nothing of the payer is kept.
struct PaymentReport: Sendable, Equatable {
    /// How far a payment has come. Providers know more states than these; what they add is `open`.
    enum Status: String, Sendable {
        /// Neither paid nor given up yet.
        case open
        case paid
        /// Taken back as a whole.
        case cancelled
        case failed
    }

    /// The provider's name of the payment: `imp_uid` of PortOne V1, the payment id of V2.
    let reference: String
    let order: OrderNumber
    /// The name of what was bought.
    let item: String
    /// What was asked for, in the currency's smallest unit.
    let amount: Int
    /// How much of it went back.
    let cancelledAmount: Int
    /// ISO 4217.
    let currency: String
    let status: Status
    /// Nil unless it was paid once.
    let paidAt: Timestamp?
}
