/// Rows of an outbox that were published, and the places of their entries.
public struct PublishedRows: Sendable {
    public private(set) var ids: [Int64] = []
    public private(set) var entries: [String] = []

    public init() {}

    public var isEmpty: Bool { ids.isEmpty }

    public mutating func add(_ row: Int64, _ entry: String) {
        ids.append(row)
        entries.append(entry)
    }

    mutating func add(_ others: PublishedRows) {
        ids += others.ids
        entries += others.entries
    }
}
