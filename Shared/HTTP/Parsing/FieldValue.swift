/// The octets of a field value: visible ones, space, tab and those above ASCII.
enum FieldValue {
    /// Where the first byte stands that no value may hold, such as the CR behind it; the count where there is none.
    static func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        while position + 16 <= bytes.count {
            let controls = controls(bytes, position)
            guard controls[0] | controls[1] != 0 else {
                position += 16
                continue
            }
            position += controls[0] != 0 ? EightBytes.first(controls[0]) : 8 + EightBytes.first(controls[1])
            guard Token.isValueByte(bytes[position]) else { return position }
            position += 1
        }
        while position < bytes.count, Token.isValueByte(bytes[position]) { position += 1 }
        return position
    }

    /// Which of sixteen bytes are control characters: all bits of a byte that is one.
    @inline(__always)
    private static func controls(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> SIMD2<UInt64> {
        // The types are spelt out: with them inferred, the compiler compares byte by byte.
        let blank = SIMD16<UInt8>(repeating: 0x20)
        let delete = SIMD16<UInt8>(repeating: 0x7F)
        let block = bytes.loadUnaligned(fromByteOffset: position, as: SIMD16<UInt8>.self)
        return unsafeBitCast((block .< blank) .| (block .== delete), to: SIMD2<UInt64>.self)
    }
}
