import Wire

/// Coins that payment-service holds back for a workspace that is being created.
struct Reserve: Sendable, Equatable {
    /// The idempotency key of the reserve at payment-service.
    let key: String
    let user: UserID
    let amount: Int
    let reason: String
}
