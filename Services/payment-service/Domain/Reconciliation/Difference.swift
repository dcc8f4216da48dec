/// Something that does not agree: our record with the provider's, or the ledger with its own sums.
struct Difference: Sendable, Equatable {
    /// What does not agree. The names stand in metrics.
    enum Kind: String, Sendable, CaseIterable {
        /// Credited, and the provider knows no such payment.
        case paymentMissing = "payment_missing"
        /// Credited, and the provider says that it is not paid.
        case paymentUnpaid = "payment_unpaid"
        /// The provider says another amount.
        case paymentAmount = "payment_amount"
        /// The provider says another currency.
        case paymentCurrency = "payment_currency"
        /// The provider says another order.
        case paymentOrder = "payment_order"
        /// Taken back at the provider, and we did not know; a counter-entry follows at once.
        case paymentCancelled = "payment_cancelled"
        /// Paid, and nobody has claimed it for long.
        case paymentUnclaimed = "payment_unclaimed"
        /// Somebody's wish to have a payment credited that the provider never answered.
        case attemptAbandoned = "attempt_abandoned"
        /// The entries of a transaction do not sum to zero, or there are fewer than two.
        case transactionSum = "transaction_sum"
        /// A running balance is not the sum of its book, or versions are missing.
        case bookBalance = "book_balance"
        /// The reserved coins of a user are not the sum of the open reserves.
        case reservedSum = "reserved_sum"
        /// The purchased coins of a user are not what the payments credited.
        case purchasedSum = "purchased_sum"
        /// A capture found no coins.
        case captureUncollected = "capture_uncollected"
    }

    let kind: Kind
    /// What it is about: a payment's, transaction's or user's id, or a reserve's key.
    let subject: String
    /// What we have.
    let ours: String
    /// What the provider, or the sum, says.
    let theirs: String
}
