/// A JSON text and the index of its values, in one allocation. With two arrays, parsing and reading take a tenth
/// longer.
///
/// - Note: `@unchecked Sendable` because only the parser that creates a document changes it, before anything else gets
///   it.
@usableFromInline struct JSONDocument: @unchecked Sendable {
    private struct Header {
        let bytes: [UInt8]
        let capacity: Int
        var count = 0
    }

    private var storage: ManagedBuffer<Header, JSONNode>

    /// A document without values, with space for `capacity`, at least 1.
    init(_ bytes: [UInt8], capacity: Int) {
        storage = .create(minimumCapacity: capacity) { _ in Header(bytes: bytes, capacity: capacity) }
    }

    /// The number of values, at every depth.
    var count: Int {
        storage.withUnsafeMutablePointerToHeader { $0.pointee.count }
    }

    @inline(__always)
    subscript(index: Int) -> JSONNode {
        get {
            storage.withUnsafeMutablePointers { header, nodes in
                precondition(index >= 0 && index < header.pointee.count)
                return nodes[index]
            }
        }
        nonmutating set {
            storage.withUnsafeMutablePointers { header, nodes in
                precondition(index >= 0 && index < header.pointee.count)
                nodes[index] = newValue
            }
        }
    }

    @inline(__always)
    mutating func append(_ node: JSONNode) {
        if storage.withUnsafeMutablePointerToHeader({ $0.pointee.count == $0.pointee.capacity }) { grow() }
        storage.withUnsafeMutablePointers { header, nodes in
            (nodes + header.pointee.count).initialize(to: node)
            header.pointee.count &+= 1
        }
    }

    /// Calls `body` with the whole text.
    @inline(__always)
    func withText<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        storage.withUnsafeMutablePointerToHeader { body($0.pointee.bytes.span) }
    }

    @inline(never)
    private mutating func grow() {
        storage.withUnsafeMutablePointers { header, nodes in
            let larger = JSONDocument(header.pointee.bytes, capacity: header.pointee.capacity * 2)
            larger.storage.withUnsafeMutablePointers { largerHeader, largerNodes in
                largerHeader.pointee.count = header.pointee.count
                largerNodes.initialize(from: nodes, count: header.pointee.count)
            }
            storage = larger.storage
        }
    }
}
