import Wire

/// A pending lookup of a payment, recorded before the provider is asked so that it survives crashes and outages.
struct PaymentAttempt: Sendable, Equatable {
    /// A user who wants the payment credited, and the order that it pays.
    struct Buyer: Sendable, Equatable {
        let user: UserID
        let order: OrderNumber

        /// Checks that an app with this API key made the order number.
        static func made(
            by user: UserID, of order: OrderNumber, under key: String
        ) throws(PaymentVerdict.Refusal) -> Buyer {
            guard order.isOf(key: key) else { throw .otherOrder }
            return Buyer(user: user, order: order)
        }
    }

    let id: Int64
    /// Nil while the provider is unknown.
    let provider: String?
    let reference: String
    /// Nil for an attempt that a webhook caused.
    let buyer: Buyer?
    /// The number of lookups without an answer.
    let tries: Int
    let madeAt: Timestamp
}

extension PaymentAttempt {
    /// The wait before the next lookup: random, growing from 5 seconds to 10 minutes.
    var retryDelay: Duration { .seconds(min(600, 5 << min(tries, 10))) * Double.random(in: 0.5...1) }
}
