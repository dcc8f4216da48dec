/// The items of the store, in display order.
struct Catalogue: Sendable, Equatable {
    /// An item for sale.
    struct Item: Sendable, Equatable {
        /// The unique name that payments refer to.
        let name: String
        /// In whole won.
        let price: Int
        /// The coins that the buyer receives.
        let coins: Int
    }

    let items: [Item]

    /// The only accepted currency.
    static let currency = "KRW"
    /// The largest price and the largest number of coins.
    static let largestNumber = 1_000_000_000

    subscript(name name: String) -> Item? { items.first { $0.name == name } }
}

extension Catalogue {
    /// Reads `10 Coin=100:10, 50 Coin=500:50`: name, price in won and coins of each item.
    /// Nil if the text is malformed, repeats a name or has no item.
    init?(text: String) {
        var items: [Item] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let equals = part.lastIndex(of: "=") else { return nil }
            let name = part[..<equals].trimmingBlanks
            let numbers = part[part.index(after: equals)...].split(separator: ":", omittingEmptySubsequences: false)
            guard numbers.count == 2, !name.isEmpty,
                let price = Int(numbers[0].trimmingBlanks), (1...Self.largestNumber).contains(price),
                let coins = Int(numbers[1].trimmingBlanks), (1...Self.largestNumber).contains(coins),
                !items.contains(where: { $0.name == name })
            else { return nil }
            items.append(Item(name: String(name), price: price, coins: coins))
        }
        self.items = items
    }

    /// The text that ``init(text:)`` reads.
    var text: String { items.map { "\($0.name)=\($0.price):\($0.coins)" }.joined(separator: ", ") }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return text
    }
}
