extension Span<UInt8> {
    /// The offset of the first byte at or after `start` that a JSON string must escape, or the end; checks sixteen
    /// bytes at a time.
    ///
    /// - Parameter isASCII: becomes false if a byte above 127 comes before it.
    @inline(__always)
    func firstJSONSpecial(from start: Int, _ isASCII: inout Bool) -> Int {
        withUnsafeBytes { bytes in
            // The types are spelt out: with inferred types the compiler compares byte by byte.
            let blank = SIMD16<UInt8>(repeating: 0x20)
            let quote = SIMD16<UInt8>(repeating: 0x22)
            let backslash = SIMD16<UInt8>(repeating: 0x5C)
            var index = start
            var seen: UInt64 = 0
            defer { if seen & 0x8080_8080_8080_8080 != 0 { isASCII = false } }
            while index &+ 16 <= bytes.count {
                let block = bytes.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
                let special = (block .< blank) .| (block .== quote) .| (block .== backslash)
                let found = unsafeBitCast(special, to: SIMD2<UInt64>.self)
                let words = unsafeBitCast(block, to: SIMD2<UInt64>.self)
                if found[0] != 0 {
                    seen |= words[0] & found[0].bitsBelowLowest
                    return index &+ found[0].trailingZeroBitCount / 8
                }
                seen |= words[0]
                if found[1] != 0 {
                    seen |= words[1] & found[1].bitsBelowLowest
                    return index &+ 8 &+ found[1].trailingZeroBitCount / 8
                }
                seen |= words[1]
                index &+= 16
            }
            while index < bytes.count {
                let byte = bytes[index]
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
                seen |= UInt64(byte)
                index &+= 1
            }
            return index
        }
    }
}

extension UInt64 {
    /// All bits below the lowest set bit.
    @inline(__always)
    fileprivate var bitsBelowLowest: UInt64 { (self & (0 &- self)) &- 1 }
}
