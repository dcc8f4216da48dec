/// How a generation of clients writes ids.
public enum IDForm: Hashable, Sendable {
    case integer, string
}

extension JSONWriter {
    public mutating func value<Subject>(_ id: ID<Subject>, as form: IDForm) {
        value(id: id.rawValue, as: form)
    }

    /// Appends a key and an id.
    public mutating func field<Subject>(_ key: StaticString, _ id: ID<Subject>, as form: IDForm) {
        self.key(key)
        value(id: id.rawValue, as: form)
    }

    private mutating func value(id: Int64, as form: IDForm) {
        scalar { output in
            if form == .string { output.append(UInt8(ascii: "\"")) }
            output.append(decimal: id)
            if form == .string { output.append(UInt8(ascii: "\"")) }
        }
    }
}

extension JSONValue {
    /// The id that an integer or a decimal string holds, whichever a client writes; `nil` for an id that cannot exist.
    public func id<Subject>(_: ID<Subject>.Type = ID<Subject>.self) -> ID<Subject>? {
        switch node.kind {
        case .integer, .asciiString: document.withText(of: node) { ID(parsing: $0) }
        default: nil
        }
    }
}
