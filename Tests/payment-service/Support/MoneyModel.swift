/// The expected balances of one user, by plain arithmetic.
struct MoneyModel: Sendable {
    /// A purchase and its refunds.
    struct Purchase: Sendable {
        let reference: String
        let amount: Int
        let coins: Int
        var cancelled = 0
        var refunded = 0
    }

    var wallet = 100
    var revenue = 0
    var losses = 0
    var purchases: [Purchase] = []

    mutating func buy(_ reference: String, amount: Int, coins: Int) {
        purchases.append(Purchase(reference: reference, amount: amount, coins: coins))
        wallet += coins
    }

    /// Spends coins if there are enough; returns whether there were.
    mutating func spend(_ amount: Int) -> Bool {
        guard wallet >= amount else { return false }
        wallet -= amount
        revenue += amount
        return true
    }

    /// Refunds more of a purchase's money and its share of the coins; spent coins are a loss.
    mutating func cancel(_ index: Int, _ amount: Int) {
        purchases[index].cancelled += amount
        let purchase = purchases[index]
        let due = purchase.coins * purchase.cancelled / purchase.amount - purchase.refunded
        purchases[index].refunded += due
        losses += max(0, due - wallet)
        wallet -= min(wallet, due)
    }

    /// The balances as `payment.balance` shows them, without empty ones.
    var books: [String: Int] {
        let bought = purchases.reduce(0) { $0 + $1.coins - $1.refunded }
        return ["wallet": wallet, "revenue": revenue, "losses": losses, "purchases": bought, "grants": 100]
            .filter { $0.value != 0 }
    }
}
