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

    /// The number of elements that are left.
    public var underestimatedCount: Int { document.countElements(from: index, to: end) }

    public mutating func next() -> JSONValue? {
        guard index < end else { return nil }
        defer { index = document.end(of: index) }
        return JSONValue(document: document, index: index)
    }
}
