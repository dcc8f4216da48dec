/// Encodes bytes in 64 characters (RFC 4648).
public enum Base64 {
    /// The alphabet, and whether the text is padded with `=`.
    public enum Form: Sendable {
        case standard
        case standardUnpadded
        /// The URL-safe alphabet with `-` and `_`, unpadded, as in tokens.
        case url

        var isPadded: Bool { self == .standard }

        /// The characters for 62 and 63.
        var last: (UInt8, UInt8) {
            self == .url ? (UInt8(ascii: "-"), UInt8(ascii: "_")) : (UInt8(ascii: "+"), UInt8(ascii: "/"))
        }
    }

    public static func encode(_ bytes: Span<UInt8>, _ form: Form) -> String {
        String(decoding: encodedBytes(bytes, form), as: UTF8.self)
    }

    /// The encoded text as UTF-8.
    public static func encodedBytes(_ bytes: Span<UInt8>, _ form: Form) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { output, count in
            let last = form.last
            var index = 0
            while index < bytes.count {
                let left = bytes.count - index
                let group =
                    UInt32(bytes[index]) << 16 | (left > 1 ? UInt32(bytes[index + 1]) << 8 : 0)
                    | (left > 2 ? UInt32(bytes[index + 2]) : 0)
                for index in 0..<min(4, left + 1) {
                    let sextet = UInt8(truncatingIfNeeded: group >> (18 - 6 * UInt32(index))) & 0x3F
                    output[count] = character(for: sextet, last)
                    count += 1
                }
                index += 3
            }
            guard form.isPadded else { return }
            while count % 4 != 0 {
                output[count] = UInt8(ascii: "=")
                count += 1
            }
        }
    }

    /// Decodes exactly the text that `encode` writes; nil for any other text, such as one with blanks or non-zero
    /// trailing bits.
    public static func decode(_ text: Span<UInt8>, _ form: Form) -> [UInt8]? {
        var length = text.count
        if form.isPadded {
            guard length % 4 == 0 else { return nil }
            var padding = 0
            while padding < 2, length > 0, text[length - 1] == UInt8(ascii: "=") {
                length -= 1
                padding += 1
            }
        }
        guard length % 4 != 1 else { return nil }
        let last = form.last
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length * 3 / 4)
        var group: UInt32 = 0
        var bits: UInt32 = 0
        for index in 0..<length {
            guard let sextet = value(of: text[index], last) else { return nil }
            group = group << 6 | UInt32(sextet)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> bits))
                group &= 1 << bits - 1
            }
        }
        return group == 0 ? bytes : nil
    }

    @inline(__always)
    private static func character(for sextet: UInt8, _ last: (UInt8, UInt8)) -> UInt8 {
        switch sextet {
        case 0..<26: UInt8(ascii: "A") + sextet
        case 26..<52: UInt8(ascii: "a") + (sextet - 26)
        case 52..<62: UInt8(ascii: "0") + (sextet - 52)
        case 62: last.0
        default: last.1
        }
    }

    @inline(__always)
    private static func value(of character: UInt8, _ last: (UInt8, UInt8)) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case last.0: 62
        case last.1: 63
        default: nil
        }
    }
}
