extension JSONValue {
    /// The member of this name; `nil` where there is none, or this is no object. A member that is `null` is there.
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

    /// The element at this place; `nil` where there is none, or this is no array.
    /// Takes time in proportion to the place.
    public subscript(place: Int) -> JSONValue? {
        guard let elements, place >= 0 else { return nil }
        return elements.dropFirst(place).first { _ in true }
    }

    /// The elements in order; `nil` unless it is an array.
    public var elements: JSONElements? {
        node.kind == .array ? JSONElements(of: self) : nil
    }

    /// What `read` makes of the elements; `nil` where it makes nothing of one of them, or this is no array.
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

    /// The members in order, all of them where a name occurs more than once; `nil` unless it is an object.
    public var members: JSONMembers? {
        node.kind == .object ? JSONMembers(of: self) : nil
    }

    /// The bytes of this value as they stand in the text.
    public var text: [UInt8] {
        let node = node
        let quotes = kind == .string ? 1 : 0
        return document.withText { text in
            text.extracting(Int(node.start) - quotes..<Int(node.end) + quotes).withUnsafeBufferPointer { Array($0) }
        }
    }
}

/// A value is written as it stood in the text.
extension JSONValue: JSONWritable {
    public func write(to json: inout JSONWriter) { json.raw(text) }
}
