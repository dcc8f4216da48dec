internal import Wire

/// Names one call in the logs of all services that it touches.
public struct RequestID: Sendable, CustomStringConvertible {
    public let description: String

    /// Takes over an id from the API gateway; nil unless it is 8 to 64 letters, digits and hyphens.
    init?(_ text: ArraySlice<UInt8>) {
        guard (8...64).contains(text.count), text.allSatisfy(Self.isAllowed) else { return nil }
        description = String(decoding: text, as: UTF8.self)
    }

    /// A new one, random.
    init() { description = String(UInt64.random(in: .min ... .max), radix: 36) }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
