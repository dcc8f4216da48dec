/// Encodes bytes in the 32 characters A to Z and 2 to 7 (RFC 4648), without padding. People can type it.
public enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    public static func encode(_ bytes: Span<UInt8>) -> String {
        var characters: [UInt8] = []
        var (bits, count): (UInt16, Int) = (0, 0)
        for index in bytes.indices {
            bits = bits << 8 | UInt16(bytes[index])
            count += 8
            while count >= 5 {
                count -= 5
                characters.append(alphabet[Int(bits >> count & 31)])
            }
            bits &= (1 << count) - 1
        }
        if count > 0 { characters.append(alphabet[Int(bits << (5 - count) & 31)]) }
        return String(decoding: characters, as: UTF8.self)
    }
}
