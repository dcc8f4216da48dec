/// The value of a `Cookie` header (RFC 6265). It is parsed on access, so its cost is bounded by the limit of the
/// header.
public struct CookieField: Sendable {
    private let text: ArraySlice<UInt8>

    public init(_ text: ArraySlice<UInt8>) {
        self.text = text
    }

    public init(_ text: String) {
        self.text = Array(text.utf8)[...]
    }

    /// The value of the first cookie of this name, without quotes around it; nil if there is none. Clients send the
    /// cookie with the longest path first.
    public subscript(name: String) -> String? {
        for pair in text.split(separator: UInt8(ascii: ";")) {
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
            guard Self.trimmed(pair[..<equals]).elementsEqual(name.utf8) else { continue }
            var value = Self.trimmed(pair[(equals + 1)...])
            if value.count >= 2, value.first == UInt8(ascii: "\""), value.last == UInt8(ascii: "\"") {
                value = value.dropFirst().dropLast()
            }
            return String(validating: value, as: UTF8.self)
        }
        return nil
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        guard let first = text.firstIndex(where: { !isBlank($0) }),
            let last = text.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return text[first...last]
    }
}
