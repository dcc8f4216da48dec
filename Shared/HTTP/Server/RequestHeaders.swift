/// The header fields of a request; a lookup copies nothing.
public struct RequestHeaders: Sendable {
    @usableFromInline let storage: RequestStorage

    /// The value of the first field of this name, without blanks around it.
    public subscript(_ name: HeaderName) -> ArraySlice<UInt8>? {
        storage.firstField(name).map { storage.bytes[storage.fields[$0].value.range] }
    }

    /// Passes the value of the first field of this name to `body` without copying it; nil if there is none.
    @inlinable
    public func withValue<Result, E>(
        of name: HeaderName, _ body: (Span<UInt8>) throws(E) -> Result?
    ) throws(E) -> Result? {
        guard let bytes = storage.value(of: name) else { return nil }
        defer { extendLifetime(storage) }
        return try body(Span(_unsafeBytes: bytes))
    }

    /// The value of the first field of this name as text.
    public func text(_ name: HeaderName) -> String? { self[name].map { String(decoding: $0, as: UTF8.self) } }

    /// Whether there is a field of this name.
    public func contains(_ name: HeaderName) -> Bool { storage.firstField(name) != nil }

    /// The value of the last field of this name, without blanks around it.
    public func last(_ name: HeaderName) -> ArraySlice<UInt8>? {
        var found: Int?
        while let next = storage.firstField(name, from: found.map { $0 + 1 } ?? 0) { found = next }
        return found.map { storage.bytes[storage.fields[$0].value.range] }
    }

    /// The values of all fields of this name, in order.
    public func all(_ name: HeaderName) -> [ArraySlice<UInt8>] {
        var values: [ArraySlice<UInt8>] = []
        var start = 0
        while let index = storage.firstField(name, from: start) {
            values.append(storage.bytes[storage.fields[index].value.range])
            start = index + 1
        }
        return values
    }

    /// Whether a comma-separated field of this name, such as `Connection`, lists `token` in any case; pass `token` in
    /// lower case.
    public func lists(_ token: StaticString, in name: HeaderName) -> Bool {
        all(name).contains { value in
            value.withUnsafeBytes { bytes in bytes.listed.contains { $0.is(token) } }
        }
    }

    /// The names and values in the order of the request.
    public var fields: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] {
        storage.fields.map { (storage.bytes[$0.name.range], storage.bytes[$0.value.range]) }
    }
}
