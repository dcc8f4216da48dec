extension Span<UInt8> {
    /// Where the first byte at or after `start` stands that a JSON string must escape, or the end;
    /// sixteen bytes at a time.
    ///
    /// - Parameter isASCII: becomes `false` when a byte above 127 comes before it.
    @inline(__always)
    func firstJSONSpecial(from start: Int, _ isASCII: inout Bool) -> Int {
        withUnsafeBytes { bytes in
            // The types are spelt out: with them inferred, the compiler compares byte by byte.
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
                for half in 0..<2 {
                    if found[half] != 0 {
                        seen |= words[half] & (found[half] & (0 &- found[half]) &- 1)
                        return index &+ found[half].trailingZeroBitCount / 8
                    }
                    seen |= words[half]
                    index &+= 8
                }
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
