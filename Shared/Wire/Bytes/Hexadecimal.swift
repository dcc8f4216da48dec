/// Encodes bytes as hexadecimal digits.
public enum Hexadecimal {
    /// Two lower-case digits for each byte.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        var output = ByteWriter(capacity: bytes.count * 2)
        output.append(hex: bytes)
        return String(decoding: output.bytes, as: UTF8.self)
    }

    /// Decodes digits of either case; nil for other characters or an odd number of digits.
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
