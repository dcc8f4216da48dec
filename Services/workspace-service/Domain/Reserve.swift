import Wire

/// Coins set aside for a workspace that is about to be made.
struct Reserve: Sendable, Equatable {
    /// Names the reserve at payment-service: the same key is the same reserve.
    let key: String
    let user: UserID
    let amount: Int
    let reason: String
}
