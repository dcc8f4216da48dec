/// A disagreement between a stored payment and its provider, or within the ledger.
struct Difference: Sendable, Equatable {
    /// The kind of disagreement. The raw values are labels of a metric.
    enum Kind: String, Sendable, CaseIterable {
        /// A credited payment that the provider does not know.
        case paymentMissing = "payment_missing"
        /// A credited payment that is not paid at the provider.
        case paymentUnpaid = "payment_unpaid"
        /// The provider reports another amount.
        case paymentAmount = "payment_amount"
        /// The provider reports another currency.
        case paymentCurrency = "payment_currency"
        /// The provider reports another order.
        case paymentOrder = "payment_order"
        /// A cancellation at the provider that was missed; the refund follows at once.
        case paymentCancelled = "payment_cancelled"
        /// A paid payment that no buyer has claimed for long.
        case paymentUnclaimed = "payment_unclaimed"
        /// An attempt that the provider never answered.
        case attemptAbandoned = "attempt_abandoned"
        /// The entries of a transaction do not sum to zero, or there are fewer than two.
        case transactionSum = "transaction_sum"
        /// A running balance is not the sum of its account's entries, or versions are missing.
        case accountBalance = "book_balance"
        /// A user's reserved coins are not the sum of the open reserves.
        case reservedSum = "reserved_sum"
        /// A user's purchased coins are not the sum of the credited payments.
        case purchasedSum = "purchased_sum"
        /// A capture found too few coins.
        case captureUncollected = "capture_uncollected"
    }

    let kind: Kind
    /// The id of the payment, transaction or user, or the key of the reserve.
    let subject: String
    /// The stored value.
    let ours: String
    /// The value of the provider or of the sum.
    let theirs: String
}
