/// A ledger transaction to write. It moves coins between the accounts of one user.
struct Posting: Sendable, Equatable {
    /// Why coins move.
    enum Kind: String, Sendable, CaseIterable {
        case grant, purchase, refund, reserve, capture, release, expiry, spend
    }

    /// The change of one account.
    struct Entry: Sendable, Equatable {
        let account: LedgerAccountKind
        let amount: Int
    }

    let kind: Kind
    /// The id of the payment or the key of the reserve. The database accepts one posting for each kind and subject.
    let subject: String
    /// At most one entry an account; the amounts sum to zero.
    let entries: [Entry]

    /// Moves `amount` coins, more than zero, from one account to another.
    init(
        _ kind: Kind, of subject: String, moving amount: Int, from source: LedgerAccountKind,
        to target: LedgerAccountKind
    ) {
        self.init(kind, of: subject, taking: [(source, amount)], to: target)
    }

    /// Moves coins from several accounts to one; accounts with an amount of zero are left out.
    init(
        _ kind: Kind, of subject: String, taking parts: [(account: LedgerAccountKind, amount: Int)],
        to target: LedgerAccountKind
    ) {
        let sources = parts.filter { $0.amount != 0 }
        self.kind = kind
        self.subject = subject
        entries =
            sources.map { Entry(account: $0.account, amount: -$0.amount) }
            + [Entry(account: target, amount: sources.reduce(0) { $0 + $1.amount })]
    }

    /// The change of the wallet.
    var walletChange: Int { entries.first { $0.account == .wallet }?.amount ?? 0 }
}
