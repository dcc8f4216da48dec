extension Span<UInt8> {
    /// Whether this is well-formed UTF-8 (Unicode, table 3-7): no overlong forms, no surrogates, nothing above
    /// U+10FFFF, no truncated scalar. It checks sixteen bytes at a time, at the same speed for text of any script;
    /// `UTF8Span(validating:)` takes twice as long for Hangul. Every module validates UTF-8 with this.
    public var isUTF8: Bool {
        guard count >= UTF8Blocks.least else { return withUnsafeBytes(UTF8Blocks.isShortTextValid) }
        return withUnsafeBytes { bytes in
            var errors = UTF8Blocks.errorsAtStart(bytes)
            var index = 16
            while index &+ 16 <= bytes.count {
                errors |= UTF8Blocks.errors(bytes, at: index)
                index &+= 16
            }
            errors |= UTF8Blocks.errors(bytes, at: bytes.count &- 16)
            return errors == SIMD16<UInt8>(repeating: 0) && !UTF8Blocks.isCutOff(bytes)
        }
    }
}

/// Finds errors in blocks of sixteen bytes; each block is checked together with the three bytes before it.
private enum UTF8Blocks {
    /// The least length of a text with three bytes before its last block.
    static let least = 19

    /// Sets the bytes of the block at which an error shows. The types are spelt out: with inferred types the compiler
    /// compares byte by byte.
    @inline(__always)
    static func errors(_ bytes: UnsafeRawBufferPointer, at index: Int) -> SIMD16<UInt8> {
        let block = bytes.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
        let last = bytes.loadUnaligned(fromByteOffset: index &- 1, as: SIMD16<UInt8>.self)
        let secondLast = bytes.loadUnaligned(fromByteOffset: index &- 2, as: SIMD16<UInt8>.self)
        let thirdLast = bytes.loadUnaligned(fromByteOffset: index &- 3, as: SIMD16<UInt8>.self)

        let x80 = SIMD16<UInt8>(repeating: 0x80)
        let x90 = SIMD16<UInt8>(repeating: 0x90)
        let xA0 = SIMD16<UInt8>(repeating: 0xA0)
        let xC0 = SIMD16<UInt8>(repeating: 0xC0)
        let xC1 = SIMD16<UInt8>(repeating: 0xC1)
        let xE0 = SIMD16<UInt8>(repeating: 0xE0)
        let xED = SIMD16<UInt8>(repeating: 0xED)
        let xF0 = SIMD16<UInt8>(repeating: 0xF0)
        let xF4 = SIMD16<UInt8>(repeating: 0xF4)

        let isContinuation = (block .>= x80) .& (block .< xC0)
        let mustContinue = (last .>= xC0) .| (secondLast .>= xE0) .| (thirdLast .>= xF0)
        let isNoLead = (block .== xC0) .| (block .== xC1) .| (block .> xF4)
        let isOverlong = ((last .== xE0) .& (block .< xA0)) .| ((last .== xF0) .& (block .< x90))
        let isSurrogate = (last .== xED) .& (block .>= xA0)
        let isTooHigh = (last .== xF4) .& (block .>= x90)
        let errors = (isContinuation .^ mustContinue) .| isNoLead .| isOverlong .| isSurrogate .| isTooHigh
        return unsafeBitCast(errors, to: SIMD16<UInt8>.self)
    }

    /// The errors of the first sixteen bytes, which have no bytes before them.
    static func errorsAtStart(_ bytes: UnsafeRawBufferPointer) -> SIMD16<UInt8> {
        var window = SIMD32<UInt8>()
        return withUnsafeMutableBytes(of: &window) { window in
            window.baseAddress!.advanced(by: 3).copyMemory(from: bytes.baseAddress!, byteCount: 16)
            return Self.errors(UnsafeRawBufferPointer(window), at: 3)
        }
    }

    /// Whether a text of less than `least` bytes is UTF-8. Zeros after it stand for missing bytes, which no scalar may
    /// contain.
    static func isShortTextValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var window = SIMD32<UInt8>()
        return withUnsafeMutableBytes(of: &window) { window in
            UnsafeMutableRawBufferPointer(rebasing: window[3...]).copyMemory(from: bytes)
            let window = UnsafeRawBufferPointer(window)
            return errors(window, at: 3) | errors(window, at: 16) == SIMD16<UInt8>(repeating: 0)
        }
    }

    /// Whether the last scalar is truncated.
    static func isCutOff(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let end = bytes.count
        return bytes[end - 1] >= 0xC0 || bytes[end - 2] >= 0xE0 || bytes[end - 3] >= 0xF0
    }
}
