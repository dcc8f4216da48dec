import Wire

/// A payment as it is stored.
struct PaymentRecord: Sendable, Equatable {
    /// The coins that its buyer received.
    struct Credit: Sendable, Equatable {
        let owner: UserID
        let coins: Int
        let creditedAt: Timestamp
        /// The number of coins that were taken back.
        var refunded: Int
    }

    /// The `billing_id` of clients.
    let id: Int64
    /// The name of its provider.
    let provider: String
    /// The provider's last report. After the credit only cancellations change it.
    var report: PaymentReport
    /// Nil until a buyer is credited.
    var credit: Credit?
}
