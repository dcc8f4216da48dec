/// The octets of a field value: visible ones, space, tab and those above ASCII.
enum FieldValue {
    /// Where the first byte stands that no value may hold, such as the CR behind it; the count where there is none.
    static func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position + 8 <= bytes.count {
            // Tokens are long: four words at once.
            while position + 32 <= bytes.count,
                controls(bytes, position) | controls(bytes, position + 8) | controls(bytes, position + 16)
                    | controls(bytes, position + 24) == 0
            {
                position += 32
            }
            guard position + 8 <= bytes.count else { break }
            let found = controls(bytes, position)
            if found == 0 {
                position += 8
                continue
            }
            position += EightBytes.first(found)
            guard Token.isValueByte(bytes[position]) else { return position }
            position += 1
        }
        while position < bytes.count, Token.isValueByte(bytes[position]) { position += 1 }
        return position
    }

    @inline(__always)
    private static func controls(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> UInt64 {
        let word = EightBytes(bytes, at: position)
        return word.below(0x20) | word.equal(to: 0x7F)
    }
}
