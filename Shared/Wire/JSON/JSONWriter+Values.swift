extension JSONWriter {
    public mutating func null() {
        scalar { $0.append("null") }
    }

    public mutating func value(_ value: Bool) {
        scalar { $0.append(value ? "true" : "false") }
    }

    public mutating func value(_ value: Int) {
        scalar { $0.append(decimal: value) }
    }

    public mutating func value(_ value: Int64) {
        scalar { $0.append(decimal: value) }
    }

    public mutating func value(_ value: UInt64) {
        scalar { $0.append(decimal: value) }
    }

    /// Appends the shortest text that parses to `value`; infinities and NaN are written as `null`.
    public mutating func value(_ value: Double) {
        guard value.isFinite else { return null() }
        scalar { $0.append(value.description) }
    }

    public mutating func value(_ value: String) {
        scalar { $0.appendJSONString(value.utf8.span) }
    }

    public mutating func value(_ value: Substring) {
        scalar { $0.appendJSONString(value.utf8.span) }
    }

    @inlinable
    public mutating func value(_ value: some JSONWritable) {
        value.write(to: &self)
    }

    /// Appends bytes that are exactly one JSON value.
    public mutating func raw(_ rendered: [UInt8]) {
        scalar { $0.append(rendered) }
    }

    /// Appends bytes that are exactly one JSON value.
    public mutating func raw(_ rendered: Span<UInt8>) {
        scalar { $0.append(rendered) }
    }
}
