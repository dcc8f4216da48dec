extension JSONParser {
    mutating func parseString(_ input: Span<UInt8>) throws(JSONError) {
        position &+= 1
        let start = position
        var kind = JSONNode.Kind.plainString
        while true {
            skipPlainASCII(input)
            let byte = try peek(input)
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                kind = .escapedString
                try skipEscape(input)
            } else if byte < 0x20 {
                throw error(.controlCharacter)
            } else {
                repeat {
                    let length = UTF8Sequence.length(in: input, at: position)
                    guard length > 0 else { throw error(.invalidUTF8) }
                    position &+= length
                } while position < input.count && input[position] >= 0x80
            }
        }
        note(kind, from: start)
        position &+= 1
    }

    /// Skips what needs no second look, eight bytes at a time.
    @inline(__always)
    private mutating func skipPlainASCII(_ input: Span<UInt8>) {
        let raw = input.bytes
        while position &+ 8 <= input.count {
            let word = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
            let special =
                ByteLanes.below32(word) | ByteLanes.equal(word, to: 0x22) | ByteLanes.equal(word, to: 0x5C)
                | ByteLanes.notASCII(word)
            if special != 0 {
                position &+= special.trailingZeroBitCount / 8
                return
            }
            position &+= 8
        }
        while position < input.count {
            let byte = input[position]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte >= 0x80 { return }
            position &+= 1
        }
    }

    private mutating func skipEscape(_ input: Span<UInt8>) throws(JSONError) {
        position &+= 1
        switch try peek(input) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position &+= 1
        case UInt8(ascii: "u"):
            let unit = try skipCodeUnit(input)
            if UTF16.isTrailSurrogate(unit) { throw error(.loneSurrogate) }
            guard UTF16.isLeadSurrogate(unit) else { return }
            guard try peek(input) == UInt8(ascii: "\\") else { throw error(.loneSurrogate) }
            position &+= 1
            guard try peek(input) == UInt8(ascii: "u") else { throw error(.loneSurrogate) }
            guard UTF16.isTrailSurrogate(try skipCodeUnit(input)) else { throw error(.loneSurrogate) }
        default:
            throw error(.invalidEscape)
        }
    }

    /// Reads `u` and four hexadecimal digits.
    private mutating func skipCodeUnit(_ input: Span<UInt8>) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            position &+= 1
            guard let digit = try peek(input).hexValue else { throw error(.invalidEscape) }
            unit = unit << 4 | UInt16(digit)
        }
        position &+= 1
        return unit
    }
}
