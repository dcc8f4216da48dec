extension ByteWriter {
    /// Appends `text`, which is valid UTF-8, in quotes. Only `"`, `\` and control characters are escaped.
    mutating func appendJSONString(_ text: Span<UInt8>) {
        append(atMost: text.count + 2) { output in
            output.append(UInt8(ascii: "\""))
        }
        var start = 0
        var isASCII = true
        while true {
            let end = text.firstJSONSpecial(from: start, &isASCII)
            append(text.extracting(start..<end))
            guard end < text.count else { break }
            appendJSONEscape(text[end])
            start = end + 1
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendJSONEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"")
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\r"): append("\\r")
        case UInt8(ascii: "\t"): append("\\t")
        case 0x08: append("\\b")
        case 0x0C: append("\\f")
        default:
            append("\\u00")
            append(hexDigit(byte >> 4))
            append(hexDigit(byte & 15))
        }
    }
}
