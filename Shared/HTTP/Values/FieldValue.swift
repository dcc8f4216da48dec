/// The bytes that a field value may hold: visible characters, space, tab and bytes above ASCII.
enum FieldValue {
    /// The offset of the first byte that no value may hold, such as the CR after it; the count if there is none.
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

    /// Marks the control characters among sixteen bytes by setting all their bits.
    @inline(__always)
    private static func controls(_ bytes: UnsafeRawBufferPointer, _ position: Int) -> SIMD2<UInt64> {
        // The types are spelt out: with inferred types the compiler compares byte by byte.
        let blank = SIMD16<UInt8>(repeating: 0x20)
        let delete = SIMD16<UInt8>(repeating: 0x7F)
        let block = bytes.loadUnaligned(fromByteOffset: position, as: SIMD16<UInt8>.self)
        return unsafeBitCast((block .< blank) .| (block .== delete), to: SIMD2<UInt64>.self)
    }
}
