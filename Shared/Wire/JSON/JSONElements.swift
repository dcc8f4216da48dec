/// The elements of an array, in order.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
    private let document: JSONDocument
    private var index: Int
    private let end: Int

    init(of array: JSONValue) {
        document = array.document
        index = array.index + 1
        end = Int(array.node.next)
    }

    /// How many there are.
    public var underestimatedCount: Int {
        var count = 0
        var index = index
        while index < end {
            index = Int(document.nodes[index].next)
            count += 1
        }
        return count
    }

    public mutating func next() -> JSONValue? {
        guard index < end else { return nil }
        defer { index = Int(document.nodes[index].next) }
        return JSONValue(document: document, index: index)
    }
}
