/// The octets of a field value: visible ones, space, tab and those above ASCII.
enum FieldValue {
    private static let everyByte: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Where the first byte stands that no value may hold, such as the CR behind it; the count where there is none.
    static func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while true {
            // Tokens are long: two words at once, then one.
            while position + 16 <= bytes.count,
                forbidden(in: bytes, at: position) | forbidden(in: bytes, at: position + 8) == 0
            {
                position += 16
            }
            if position + 8 <= bytes.count, forbidden(in: bytes, at: position) == 0 { position += 8 }
            while position < bytes.count, Token.isValueByte(bytes[position]) {
                position += 1
                // A tab is the one byte below a space that may stand here: go on by words behind it.
                if bytes[position - 1] == 0x09 { break }
            }
            if position == bytes.count || !Token.isValueByte(bytes[position]) { return position }
        }
    }

    /// The high bit of each of eight bytes says whether it is below 0x20 or is DEL.
    @inline(__always)
    private static func forbidden(in bytes: UnsafeRawBufferPointer, at position: Int) -> UInt64 {
        let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        let isBelowSpace = (word &- everyByte &* 0x20) & ~word & highBits
        let difference = word ^ everyByte &* 0x7F
        let isDelete = (difference &- everyByte) & ~difference & highBits
        return isBelowSpace | isDelete
    }
}
