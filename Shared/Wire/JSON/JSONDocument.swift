/// A text that has been found to be JSON, and the index of its values. Strings and numbers are read when asked for.
@usableFromInline
final class JSONDocument: Sendable {
    let bytes: [UInt8]
    let nodes: [JSONNode]

    init(parsing bytes: [UInt8], maximumDepth: Int) throws(JSONError) {
        var parser = JSONParser(maximumDepth: maximumDepth)
        self.bytes = bytes
        nodes = try parser.parse(bytes.span)
    }

    /// Calls `body` with the text of a node; for a string, what is between its quotes.
    @inline(__always)
    func withText<Result>(of node: JSONNode, _ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = bytes
        return body(bytes.span.extracting(Int(node.start)..<Int(node.end)))
    }

    /// Calls `body` with a member's name as it stands in the text.
    @inline(__always)
    func withText<Result>(of name: JSONNode.Name, _ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = bytes
        return body(bytes.span.extracting(Int(name.start)..<Int(name.start) + name.length))
    }

    /// `nil` unless the node is a string.
    @usableFromInline
    func string(at index: Int) -> String? {
        let node = nodes[index]
        switch node.kind {
        case .asciiString: return withText(of: node) { String(copying: UTF8Span(unchecked: $0, isKnownASCII: true)) }
        case .plainString: return withText(of: node) { String(copying: UTF8Span(unchecked: $0)) }
        case .escapedString: return unescapedString(node)
        default: return nil
        }
    }

    func string(of name: JSONNode.Name) -> String {
        withText(of: name) { text in
            name.isEscaped ? JSONText.unescaped(text) : String(copying: UTF8Span(unchecked: text))
        }
    }

    /// The node behind this one and all its content.
    @usableFromInline
    func end(of index: Int) -> Int { Int(nodes[index].next) }

    @usableFromInline
    func countElements(from start: Int, to end: Int) -> Int {
        var count = 0
        var index = start
        while index < end {
            index = Int(nodes[index].next)
            count += 1
        }
        return count
    }

    @usableFromInline
    func lastMember(of object: Int, named name: StaticString) -> Int {
        lastMember(of: object, named: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount).span)
    }

    /// Where the value of the object's last member of this name stands; -1 where there is none, or it is no object.
    func lastMember(of object: Int, named name: Span<UInt8>) -> Int {
        let nodes = nodes
        guard nodes[object].kind == .object else { return -1 }
        var found = -1
        var member = object + 1
        let end = Int(nodes[object].next)
        while member < end {
            let node = nodes[member]
            if node.name.mayBe(length: name.count), isName(node.name, equalTo: name) {
                found = member
            }
            member = Int(node.next)
        }
        return found
    }

    @inline(never)
    private func unescapedString(_ node: JSONNode) -> String {
        withText(of: node, JSONText.unescaped)
    }

    @inline(__always)
    private func isName(_ name: JSONNode.Name, equalTo text: Span<UInt8>) -> Bool {
        withText(of: name) { written in
            guard name.isEscaped else { return written.hasSameBytes(as: text) }
            return JSONText.isEscaped(written, for: text)
        }
    }
}
