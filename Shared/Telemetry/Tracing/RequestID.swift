/// The id of one request in the logs of all services that it reaches.
public struct RequestID: Sendable, Hashable, CustomStringConvertible {
    /// 8 to 64 letters, digits, hyphens and underscores.
    public let description: String

    /// A new id of 13 characters.
    public init(from source: IDSource) {
        var rest = source.next()
        // 13 digits of 5 bits fit into a string without an allocation.
        description = String(unsafeUninitializedCapacity: 13) { text in
            for place in text.indices {
                let digit = UInt8(truncatingIfNeeded: rest & 31)
                text[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
                rest >>= 5
            }
            return 13
        }
    }

    /// Accepts an id from the API gateway or another service; nil for any other text.
    public init?(_ text: Span<UInt8>) {
        guard (8...64).contains(text.count) else { return nil }
        for index in text.indices {
            guard Self.isAllowed(text[index]) else { return nil }
        }
        description = text.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
