import Wire

/// The wish to look at a payment, recorded before the provider is asked, so that no crash and no outage loses it.
struct PaymentAttempt: Sendable, Equatable {
    /// Who says that the payment exists.
    struct Claim: Sendable, Equatable {
        let user: UserID
        let order: OrderNumber

        /// What a user claims with an app, which makes order numbers of its own key.
        static func made(
            by user: UserID, of order: OrderNumber, under key: String
        ) throws(PaymentVerdict.Refusal) -> Claim {
            guard order.isOf(key: key) else { throw .otherOrder }
            return Claim(user: user, order: order)
        }
    }

    let id: Int64
    /// Nil while it is not known whose payment it is.
    let provider: String?
    let reference: String
    /// Nil where a webhook told of the payment, which nobody claims by that.
    let claim: Claim?
    /// How often the provider was asked in vain.
    let tries: Int
    let madeAt: Timestamp
}

extension PaymentAttempt {
    /// How long to wait after one more try in vain: from 5 seconds to 10 minutes, and random, so that they spread.
    var pause: Duration { .seconds(min(600, 5 << min(tries, 10))) * Double.random(in: 0.5...1) }
}
