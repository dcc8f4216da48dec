/// The byte range that a `Range` field asks for.
enum ByteRange: Equatable {
    /// No range that the server serves: none, several, another unit or an invalid one. The whole file is sent.
    case whole
    case part(Range<Int>)
    /// The range begins after the end.
    case unsatisfiable

    /// Parses a field's value for a representation of `size` bytes.
    init(_ value: some Collection<UInt8>, size: Int) {
        self = .whole
        let text = Array(value)
        guard text.starts(with: "bytes=".utf8) else { return }
        let bounds = text.dropFirst(6).split(
            separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return }
        switch (Self.number(bounds[0]), Self.number(bounds[1])) {
        case (.some(let first), .some(let last)) where first <= last:
            self = first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
        case (.some(let first), nil) where bounds[1].isEmpty:
            self = first < size ? .part(first..<size) : .unsatisfiable
        case (nil, .some(let suffix)) where bounds[0].isEmpty:
            self = suffix > 0 && size > 0 ? .part(max(0, size - suffix)..<size) : .unsatisfiable
        default: return
        }
    }

    /// Parses digits; more than 18 digits count as the largest number.
    private static func number(_ text: ArraySlice<UInt8>) -> Int? {
        guard !text.isEmpty, text.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        return text.count > 18 ? .max - 1 : text.reduce(0) { $0 * 10 + Int($1 & 15) }
    }
}
