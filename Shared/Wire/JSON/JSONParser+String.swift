extension JSONParser {
    @inline(__always)
    mutating func parseString(_ input: Span<UInt8>) throws(JSONError) {
        let start = position + 1
        let (isEscaped, isASCII) = try skipString(input)
        note(isEscaped ? .escapedString : (isASCII ? .asciiString : .plainString), from: start, to: position - 1)
    }

    @inline(__always)
    mutating func parseName(_ input: Span<UInt8>) throws(JSONError) -> JSONNode.Name {
        let start = position + 1
        let (isEscaped, _) = try skipString(input)
        return JSONNode.Name(start: start, length: position - 1 - start, isEscaped: isEscaped)
    }

    @inline(__always)
    private mutating func skipString(
        _ input: Span<UInt8>
    ) throws(JSONError) -> (isEscaped: Bool, isASCII: Bool) {
        position &+= 1
        let start = position
        var isEscaped = false
        var isASCII = true
        while true {
            position = input.firstJSONSpecial(from: position, &isASCII)
            let byte = try peek(input)
            if byte == UInt8(ascii: "\"") { break }
            guard byte == UInt8(ascii: "\\") else { throw error(.controlCharacter) }
            isEscaped = true
            try skipEscape(input)
        }
        if !isASCII { try checkUTF8(input.extracting(start..<position), at: start) }
        position &+= 1
        return (isEscaped, isASCII)
    }

    @inline(never)
    private func checkUTF8(_ text: Span<UInt8>, at start: Int) throws(JSONError) {
        guard !text.isUTF8 else { return }
        do {
            _ = try UTF8Span(validating: text)
        } catch {
            throw JSONError(reason: .invalidUTF8, offset: start + error.byteOffsets.lowerBound)
        }
    }

    @inline(never)
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
