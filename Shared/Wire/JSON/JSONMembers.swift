/// The members of an object, in order.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    private let document: JSONDocument
    private var index: Int
    private let end: Int

    init(of object: JSONValue) {
        document = object.document
        index = object.index + 1
        end = Int(object.node.next)
    }

    public mutating func next() -> (name: String, value: JSONValue)? {
        guard index < end else { return nil }
        let value = JSONValue(document: document, index: index)
        index = Int(value.node.next)
        return (document.string(of: value.node.name), value)
    }
}
