extension JSONValue {
    public var isNull: Bool { node.kind == .null }

    /// `nil` unless it is `true` or `false`.
    public var bool: Bool? {
        switch node.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// `nil` unless it is a string.
    @inlinable
    public var string: String? { document.string(at: index) }

    /// `nil` unless it is a number whose value is an integer of 64 bits; `10.0` and `1e1` are 10.
    public var int: Int? { integer(Int.self) }

    /// `nil` unless it is a number whose value is an integer of 64 bits without sign.
    public var uint64: UInt64? { integer(UInt64.self) }

    /// The nearest double; `nil` unless it is a number that a double can hold.
    public var double: Double? {
        let node = node
        guard node.kind == .integer || node.kind == .fraction else { return nil }
        let text = document.withText(of: node) { String(copying: UTF8Span(unchecked: $0, isKnownASCII: true)) }
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    private func integer<Integer: FixedWidthInteger>(_: Integer.Type) -> Integer? {
        let node = node
        switch node.kind {
        case .integer:
            return document.withText(of: node) { JSONText.integer($0) }
        case .fraction:
            // Below 2^53 the nearest double is an integer only where the number is one,
            // or closer than any client means.
            guard let double, abs(double) < 0x1p53 else { return nil }
            return Integer(exactly: double)
        default:
            return nil
        }
    }
}
