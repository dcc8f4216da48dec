extension JSONValue {
    /// The member of this name; `nil` where there is none, or this is no object. A member that is `null` is there.
    public subscript(name: StaticString) -> JSONValue? {
        let document = document
        return name.withUTF8Buffer { name in
            lastMember { document.isString($0, equalTo: name.span) }
        }
    }

    /// The member of this name, for names known only at run time.
    public subscript(named name: String) -> JSONValue? {
        let document = document
        return lastMember { document.isString($0, equalTo: name.utf8.span) }
    }

    /// The element at this place; `nil` where there is none, or this is no array. Takes time in proportion to the place.
    public subscript(place: Int) -> JSONValue? {
        guard let elements, place >= 0 else { return nil }
        return elements.dropFirst(place).first { _ in true }
    }

    /// The elements in order; `nil` unless it is an array.
    public var elements: JSONElements? {
        node.kind == .array ? JSONElements(of: self) : nil
    }

    /// The members in order, all of them where a name occurs more than once; `nil` unless it is an object.
    public var members: JSONMembers? {
        node.kind == .object ? JSONMembers(of: self) : nil
    }

    /// The bytes of this value as they stand in the text.
    public var text: [UInt8] {
        let node = node
        let quotes = kind == .string ? 1 : 0
        return Array(document.bytes[Int(node.start) - quotes..<Int(node.end) + quotes])
    }

    @inline(__always)
    private func lastMember(where matches: (JSONNode) -> Bool) -> JSONValue? {
        let object = node
        guard object.kind == .object else { return nil }
        var found: Int?
        var key = index + 1
        while key < object.next {
            if matches(document.nodes[key]) { found = key + 1 }
            key = Int(document.nodes[key + 1].next)
        }
        return found.map { JSONValue(document: document, index: $0) }
    }
}

extension JSONDocument {
    /// Whether the string of `node` is `text`, its escapes resolved.
    func isString(_ node: JSONNode, equalTo text: Span<UInt8>) -> Bool {
        withText(of: node) { name in
            guard node.kind == .escapedString else { return name.hasSameBytes(as: text) }
            var unescaped = ByteWriter()
            JSONText.unescape(name, into: &unescaped)
            return unescaped.bytes.span.hasSameBytes(as: text)
        }
    }
}

/// A value is written as it stood in the text.
extension JSONValue: JSONWritable {
    public func write(to json: inout JSONWriter) { json.raw(text) }
}
