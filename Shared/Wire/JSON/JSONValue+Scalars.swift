extension JSONValue {
    public var isNull: Bool { node.kind == .null }

    /// nil if this is neither `true` nor `false`.
    public var bool: Bool? {
        switch node.kind {
        case .true: true
        case .false: false
        default: nil
        }
    }

    /// nil if this is not a string.
    @inlinable
    public var string: String? { document.string(at: index) }

    /// nil if this is not a number with the value of a 64-bit integer; `10.0` and `1e1` are 10.
    public var int: Int? { integer(Int.self) }

    /// The nearest double; nil if this is not a number, or too large for a double.
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
            // Below 2^53 the nearest double is an integer only if the number is one, or is closer to one than any
            // client intends.
            guard let double, abs(double) < 0x1p53 else { return nil }
            return Integer(exactly: double)
        default:
            return nil
        }
    }
}
