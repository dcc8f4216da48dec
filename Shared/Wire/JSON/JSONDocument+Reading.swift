extension JSONDocument {
    /// Calls `body` with the text of a node; for a string, the text between its quotes.
    @inline(__always)
    func withText<Result>(of node: JSONNode, _ body: (Span<UInt8>) -> Result) -> Result {
        withText { body($0.extracting(Int(node.start)..<Int(node.end))) }
    }

    /// Calls `body` with a member's name as written in the text.
    @inline(__always)
    private func withText<Result>(of name: JSONNode.Name, _ body: (Span<UInt8>) -> Result) -> Result {
        withText { body($0.extracting(Int(name.start)..<Int(name.start) + name.length)) }
    }

    /// The string of a node; nil if the node is not a string.
    @usableFromInline
    func string(at index: Int) -> String? {
        let node = self[index]
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

    /// The index of the first node after this one and its content.
    @usableFromInline
    func end(of index: Int) -> Int { Int(self[index].next) }

    /// The number of sibling values from `start` up to `end`.
    @usableFromInline
    func countElements(from start: Int, to end: Int) -> Int {
        var count = 0
        var index = start
        while index < end {
            index = self.end(of: index)
            count += 1
        }
        return count
    }

    @usableFromInline
    func lastMember(of object: Int, named name: StaticString) -> Int {
        lastMember(of: object, named: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount).span)
    }

    /// The index of the value of the object's last member of this name; -1 if there is none, or if the node is not an
    /// object.
    func lastMember(of object: Int, named name: Span<UInt8>) -> Int {
        let node = self[object]
        guard node.kind == .object else { return -1 }
        var found = -1
        var index = object + 1
        while index < node.next {
            let member = self[index]
            if member.name.mayBe(length: name.count), isName(member.name, equalTo: name) { found = index }
            index = Int(member.next)
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
