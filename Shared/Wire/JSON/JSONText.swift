/// Decodes the text of scalars that the parser has validated.
enum JSONText {
    /// The number as an `Integer`; nil if it does not fit.
    static func integer<Integer: FixedWidthInteger>(_ text: Span<UInt8>) -> Integer? {
        let negative = text[0] == UInt8(ascii: "-")
        var value: Integer = 0
        for index in (negative ? 1 : 0)..<text.count {
            let digit = Integer(truncatingIfNeeded: text[index] & 15)
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) =
                negative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if tooLarge || overflow { return nil }
            value = sum
        }
        return value
    }

    /// The string that `text` represents, with its escapes resolved.
    static func unescaped(_ text: Span<UInt8>) -> String {
        withUnescaped(text) { String(copying: UTF8Span(unchecked: $0)) }
    }

    /// Whether `written` represents `text`.
    @inline(never)
    static func isEscaped(_ written: Span<UInt8>, for text: Span<UInt8>) -> Bool {
        withUnescaped(written) { $0.hasSameBytes(as: text) }
    }

    /// Calls `body` with the string that `text` represents, its escapes resolved; it is never longer than `text`.
    static func withUnescaped<Result>(_ text: Span<UInt8>, _ body: (Span<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { buffer in
            var output = OutputSpan(buffer: buffer, initializedCount: 0)
            var start = 0
            while let backslash = text.firstOffset(of: UInt8(ascii: "\\"), from: start) {
                output.append(copying: text.extracting(start..<backslash))
                start = backslash + 1
                unescape(text, &start, into: &output)
            }
            output.append(copying: text.extracting(start..<text.count))
            return body(output.span)
        }
    }

    /// Resolves an escape; `index` is the offset of its letter.
    private static func unescape(_ text: Span<UInt8>, _ index: inout Int, into output: inout OutputSpan<UInt8>) {
        let letter = text[index]
        index += 1
        switch letter {
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"):
            for byte in UTF8.encode(scalar(text, &index)) ?? UTF8.encodedReplacementCharacter { output.append(byte) }
        default: output.append(letter)
        }
    }

    /// The scalar of the hexadecimal digits at `index`; a surrogate pair is one scalar.
    private static func scalar(_ text: Span<UInt8>, _ index: inout Int) -> Unicode.Scalar {
        var value = codeUnit(text, &index)
        if value & 0xFC00 == 0xD800 {
            index += 2
            value = 0x10000 + (value & 0x3FF) << 10 + codeUnit(text, &index) & 0x3FF
        }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    private static func codeUnit(_ text: Span<UInt8>, _ index: inout Int) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            unit = unit << 4 | UInt32(text[index].hexValue ?? 0)
            index += 1
        }
        return unit
    }
}
