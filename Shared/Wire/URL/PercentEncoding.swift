/// Encodes text for a part of a URL, and decodes it (RFC 3986).
public struct PercentEncoding: Sendable {
    /// One bit for each ASCII character that is not escaped.
    private let plain: (UInt64, UInt64)
    private let writesBlankAsPlus: Bool

    /// Escapes everything except letters, digits and `-._~`. Safe in every part, and required for signatures.
    public static let strict = PercentEncoding("-._~")
    /// For a name or value in a query; a blank becomes `%20`, which URL and form decoders both understand.
    public static let queryComponent = PercentEncoding("-._~!$'()*,:@/?")
    /// For a name or value of an HTML form; a blank becomes `+`.
    public static let form = PercentEncoding("-._*", writesBlankAsPlus: true)

    private init(_ punctuation: StaticString, writesBlankAsPlus: Bool = false) {
        var plain: (UInt64, UInt64) = (0, 0)
        func allow(_ byte: UInt8) {
            if byte < 64 { plain.0 |= 1 << UInt64(byte) } else { plain.1 |= 1 << UInt64(byte - 64) }
        }
        (UInt8(ascii: "0")...UInt8(ascii: "9")).forEach(allow)
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).forEach(allow)
        (UInt8(ascii: "a")...UInt8(ascii: "z")).forEach(allow)
        punctuation.withUTF8Buffer { $0.forEach(allow) }
        self.plain = plain
        self.writesBlankAsPlus = writesBlankAsPlus
    }

    public func encode(_ text: String) -> String {
        var output = ByteWriter(capacity: text.utf8.count)
        append(text, to: &output)
        return String(decoding: output.bytes, as: UTF8.self)
    }

    /// Appends `text` to `output`.
    public func append(_ text: String, to output: inout ByteWriter) {
        for byte in text.utf8 {
            if isPlain(byte) {
                output.append(byte)
            } else if writesBlankAsPlus && byte == UInt8(ascii: " ") {
                output.append(UInt8(ascii: "+"))
            } else {
                output.append(UInt8(ascii: "%"))
                output.append(Self.upperCaseDigit(byte >> 4))
                output.append(Self.upperCaseDigit(byte & 15))
            }
        }
    }

    private func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<64: plain.0 >> UInt64(byte) & 1 == 1
        case 64..<128: plain.1 >> UInt64(byte - 64) & 1 == 1
        default: false
        }
    }

    private static func upperCaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }
}
