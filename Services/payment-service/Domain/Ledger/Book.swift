/// Where coins of a user stand. Each user has one of each.
enum Book: String, Sendable, CaseIterable {
    /// Coins that the user can spend.
    case wallet
    /// Coins held for a purchase under way.
    case reserved
    /// Coins spent.
    case revenue
    /// Coins credited for payments: their source.
    case purchases
    /// Coins given: their source.
    case grants
    /// Coins that were spent before their payment was taken back.
    case losses
}
