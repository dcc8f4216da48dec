/// The most recently inserted elements: at least the last `capacity`, at most twice as many.
struct RecentSet<Element: Hashable & Sendable>: Sendable {
    private let capacity: Int
    private var recent: Set<Element> = []
    private var older: Set<Element> = []

    init(capacity: Int) { self.capacity = capacity }

    func contains(_ element: Element) -> Bool { recent.contains(element) || older.contains(element) }

    mutating func insert(_ element: Element) {
        if recent.count >= capacity, !recent.contains(element) {
            older = recent
            recent = []
        }
        recent.insert(element)
    }
}
