/// Reads the text of scalars that the parser has found well-formed.
enum JSONText {
    /// `nil` where `Integer` cannot hold the number.
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

    /// The string that `text` stands for, its escapes resolved.
    static func unescaped(_ text: Span<UInt8>) -> String {
        var output = ByteWriter(capacity: text.count)
        unescape(text, into: &output)
        return String(copying: UTF8Span(unchecked: output.bytes.span))
    }

    static func unescape(_ text: Span<UInt8>, into output: inout ByteWriter) {
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "\\") else {
                output.append(text[index])
                index += 1
                continue
            }
            let escape = text[index + 1]
            index += 2
            switch escape {
            case UInt8(ascii: "b"): output.append(0x08)
            case UInt8(ascii: "f"): output.append(0x0C)
            case UInt8(ascii: "n"): output.append(0x0A)
            case UInt8(ascii: "r"): output.append(0x0D)
            case UInt8(ascii: "t"): output.append(0x09)
            case UInt8(ascii: "u"): output.append(scalar(text, &index))
            default: output.append(escape)
            }
        }
    }

    /// The scalar whose hexadecimal digits begin at `index`; a pair of surrogates is one.
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
