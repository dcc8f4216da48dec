/// The characters of tokens and field values in RFC 9110 §5.6 and RFC 9112.
public enum Token {
    /// Whether `bytes` are one or more token characters.
    static func isValid(_ bytes: some Sequence<UInt8>) -> Bool {
        var count = 0
        for byte in bytes {
            guard isTokenByte(byte) else { return false }
            count += 1
        }
        return count > 0
    }

    /// Whether a token may hold the byte: letters, digits and ``!#$%&'*+-.^_`|~``.
    @inline(__always)
    public static func isTokenByte(_ byte: UInt8) -> Bool {
        // One bit for each character, in two words.
        if byte < 64 { return lowTokenBits & (1 << UInt64(byte)) != 0 }
        return byte < 128 && highTokenBits & (1 << UInt64(byte - 64)) != 0
    }

    /// The offset after the token that begins at `start`; `start` itself if there is no token.
    @inline(__always)
    static func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position + 8 <= bytes.count {
            let others = EightBytes(bytes, at: position).otherThanLetters
            position += others == 0 ? 8 : EightBytes.first(others)
            if others != 0 {
                guard isTokenByte(bytes[position]) else { return position }
                position += 1
            }
        }
        while position < bytes.count, isTokenByte(bytes[position]) { position += 1 }
        return position
    }

    private static let lowTokenBits: UInt64 = 0x03FF_6CFA_0000_0000
    private static let highTokenBits: UInt64 = 0x57FF_FFFF_C7FF_FFFE

    /// Whether a field value may hold the byte: visible characters, space, tab and bytes above ASCII.
    @inline(__always)
    static func isValueByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}
