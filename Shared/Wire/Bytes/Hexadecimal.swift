/// Bytes as hexadecimal digits.
public enum Hexadecimal {
    /// Two lower-case digits a byte.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        var output = ByteWriter(capacity: bytes.count * 2)
        output.append(hex: bytes)
        return String(decoding: output.bytes, as: UTF8.self)
    }

    /// The bytes of digits of either case; `nil` where there is anything else, or half a byte.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = text[index].hexValue, let low = text[index + 1].hexValue else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
