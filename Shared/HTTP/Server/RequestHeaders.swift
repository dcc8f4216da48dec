/// The header fields of a request; looking one up copies nothing.
public struct RequestHeaders: Sendable {
    let head: RequestHead

    /// The value of the first field of this name, without blanks around it.
    public subscript(_ name: HeaderName) -> ArraySlice<UInt8>? {
        head.firstField(name).map { head.bytes[head.fields[$0].value] }
    }

    /// The value of the first field of this name as text.
    public func text(_ name: HeaderName) -> String? { self[name].map { String(decoding: $0, as: UTF8.self) } }

    /// Whether there is a field of this name.
    public func contains(_ name: HeaderName) -> Bool { head.firstField(name) != nil }

    /// The values of all fields of this name, in order.
    public func all(_ name: HeaderName) -> [ArraySlice<UInt8>] {
        var values: [ArraySlice<UInt8>] = []
        var start = 0
        while let index = head.firstField(name, from: start) {
            values.append(head.bytes[head.fields[index].value])
            start = index + 1
        }
        return values
    }

    /// Whether a comma-separated field of this name, such as `Connection`, lists `token`, in any case.
    public func lists(_ token: StaticString, in name: HeaderName) -> Bool {
        token.withUTF8Buffer { wanted in
            all(name).contains { value in
                value.withUnsafeBytes { bytes in
                    bytes[...].split(separator: UInt8(ascii: ",")).contains { part in
                        let part = UnsafeRawBufferPointer(rebasing: part.trimmingBlanks())
                        return part.count == wanted.count && equalIgnoringCase(part, UnsafeRawBufferPointer(wanted))
                    }
                }
            }
        }
    }

    /// Names and values in the order of the request.
    public var fields: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] {
        head.fields.map { (head.bytes[$0.name], head.bytes[$0.value]) }
    }
}
