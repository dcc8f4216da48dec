/// A transaction to write: coins that leave books of one user and arrive, all of them, in others of the same user.
struct Posting: Sendable, Equatable {
    /// Why coins move.
    enum Kind: String, Sendable, CaseIterable {
        case grant, purchase, refund, reserve, capture, release, expiry, spend
    }

    /// One entry.
    struct Leg: Sendable, Equatable {
        let book: Book
        let amount: Int
    }

    let kind: Kind
    /// What it is about, such as a payment's id or a reserve's key; the database takes one posting a kind and subject.
    let subject: String
    /// Each book once; the amounts sum to zero.
    let legs: [Leg]

    /// Moves `amount` coins, which is more than zero, from one book to another.
    init(_ kind: Kind, of subject: String, moving amount: Int, from source: Book, to target: Book) {
        self.init(kind, of: subject, taking: [(source, amount)], to: target)
    }

    /// Moves coins from several books to one; books of which nothing is taken are left out.
    init(_ kind: Kind, of subject: String, taking parts: [(book: Book, amount: Int)], to target: Book) {
        let taken = parts.filter { $0.amount != 0 }
        self.kind = kind
        self.subject = subject
        legs =
            taken.map { Leg(book: $0.book, amount: -$0.amount) }
            + [Leg(book: target, amount: taken.reduce(0) { $0 + $1.amount })]
    }

    /// By how much it changes the wallet.
    var walletChange: Int { legs.first { $0.book == .wallet }?.amount ?? 0 }
}
