/// The members of an object, in order.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    private let document: JSONDocument
    private var key: Int
    private let end: Int

    init(of object: JSONValue) {
        document = object.document
        key = object.index + 1
        end = Int(object.node.next)
    }

    public mutating func next() -> (name: String, value: JSONValue)? {
        guard key < end else { return nil }
        let value = JSONValue(document: document, index: key + 1)
        defer { key = Int(value.node.next) }
        return (JSONValue(document: document, index: key).string ?? "", value)
    }
}
