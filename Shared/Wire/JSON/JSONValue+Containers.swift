extension JSONValue {
    /// The member of this name; nil if there is none, or if this is not an object. A member that is `null` is not nil.
    @inlinable
    public subscript(name: StaticString) -> JSONValue? {
        let member = document.lastMember(of: index, named: name)
        return member < 0 ? nil : JSONValue(document: document, index: member)
    }

    /// The member of this name, for names known only at run time.
    public subscript(named name: String) -> JSONValue? {
        let member = document.lastMember(of: index, named: name.utf8.span)
        return member < 0 ? nil : JSONValue(document: document, index: member)
    }

    /// The element at this index; nil if there is none, or if this is not an array. Takes time in proportion to the
    /// index.
    public subscript(index: Int) -> JSONValue? {
        guard let elements, index >= 0 else { return nil }
        return elements.dropFirst(index).first { _ in true }
    }

    /// The elements in order; nil if this is not an array.
    public var elements: JSONElements? {
        node.kind == .array ? JSONElements(of: self) : nil
    }

    /// The results of `read` for all elements; nil if `read` returns nil for one of them, or if this is not an array.
    @inlinable
    public func array<Element>(_ read: (JSONValue) -> Element?) -> [Element]? {
        guard kind == .array else { return nil }
        var array: [Element] = []
        var next = index + 1
        let end = document.end(of: index)
        array.reserveCapacity(document.countElements(from: next, to: end))
        while next < end {
            guard let element = read(JSONValue(document: document, index: next)) else { return nil }
            array.append(element)
            next = document.end(of: next)
        }
        return array
    }

    /// The members in order, with all members of a repeated name; nil if this is not an object.
    public var members: JSONMembers? {
        node.kind == .object ? JSONMembers(of: self) : nil
    }

    /// The bytes of this value as written in the text.
    public var text: [UInt8] {
        let node = node
        let quotes = kind == .string ? 1 : 0
        return document.withText { text in
            text.extracting(Int(node.start) - quotes..<Int(node.end) + quotes).withUnsafeBufferPointer { Array($0) }
        }
    }
}

/// A value is written exactly as it was in the text.
extension JSONValue: JSONWritable {
    public func write(to json: inout JSONWriter) { json.raw(text) }
}
