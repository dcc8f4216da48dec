extension JSONParser {
    mutating func parseNumber(_ input: Span<UInt8>) throws(JSONError) {
        let start = position
        var kind = JSONNode.Kind.integer
        if try peek(input) == UInt8(ascii: "-") { position &+= 1 }
        if try peek(input) == UInt8(ascii: "0") {
            position &+= 1
        } else {
            try skipDigits(input)
        }
        if position < input.count, input[position] == UInt8(ascii: ".") {
            kind = .fraction
            position &+= 1
            try skipDigits(input)
        }
        if position < input.count, input[position] | 0x20 == UInt8(ascii: "e") {
            kind = .fraction
            position &+= 1
            let sign = try peek(input)
            if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position &+= 1 }
            try skipDigits(input)
        }
        note(kind, from: start, to: position)
    }

    /// Skips one or more digits.
    private mutating func skipDigits(_ input: Span<UInt8>) throws(JSONError) {
        guard try peek(input).isASCIIDigit else { throw error(.unexpectedByte) }
        repeat {
            position &+= 1
        } while position < input.count && input[position].isASCIIDigit
    }
}
