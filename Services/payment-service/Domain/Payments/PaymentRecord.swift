import Wire

/// A payment as we have it.
struct PaymentRecord: Sendable, Equatable {
    /// What its buyer got for it.
    struct Credit: Sendable, Equatable {
        let owner: UserID
        let coins: Int
        let creditedAt: Timestamp
        /// How many of the coins have been taken back.
        var refunded: Int
    }

    /// What clients know as `billing_id`.
    let id: Int64
    /// The name of the provider that has it.
    let provider: String
    /// What the provider said; once credited, only what it said of cancellation is followed.
    var report: PaymentReport
    /// Nil while nobody has claimed it.
    var credit: Credit?
}
