/// The accounts of the ledger. Each user has one of each; the tables call it a `book`.
enum LedgerAccountKind: String, Sendable, CaseIterable {
    /// Coins that the user can spend.
    case wallet
    /// Coins held for a purchase under way.
    case reserved
    /// Coins spent.
    case revenue
    /// The source of coins credited for payments.
    case purchases
    /// The source of granted coins.
    case grants
    /// Coins that were spent before their payment was refunded.
    case losses
}
