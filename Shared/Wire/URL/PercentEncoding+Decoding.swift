extension PercentEncoding {
    /// Decodes `encoded`; nil if a `%` is not followed by two hexadecimal digits, or if the result is not UTF-8. The
    /// result may contain any character, including `/` and NUL.
    ///
    /// - Parameter plusIsBlank: decodes `+` as a blank, as in queries and forms.
    public static func decode(_ encoded: Span<UInt8>, plusIsBlank: Bool = false) -> String? {
        guard let bytes = decodeBytes(encoded, plusIsBlank: plusIsBlank) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Decodes `encoded`; nil if it is not well-formed.
    public static func decode(_ encoded: ArraySlice<UInt8>, plusIsBlank: Bool = false) -> String? {
        decode(encoded.span, plusIsBlank: plusIsBlank)
    }

    /// Decodes `encoded`; nil if it is not well-formed.
    public static func decode(_ encoded: String, plusIsBlank: Bool = false) -> String? {
        decode(encoded.utf8.span, plusIsBlank: plusIsBlank)
    }

    /// Decodes `encoded` to bytes; nil if a `%` is not followed by two hexadecimal digits.
    public static func decodeBytes(_ encoded: Span<UInt8>, plusIsBlank: Bool = false) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(encoded.count)
        var index = 0
        while index < encoded.count {
            let byte = encoded[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < encoded.count, let high = encoded[index + 1].hexValue,
                    let low = encoded[index + 2].hexValue
                else { return nil }
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(plusIsBlank && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return bytes
    }
}
