extension ByteWriter {
    /// Appends `text`, which is valid UTF-8, in quotes, with only `"`, `\` and control characters escaped.
    mutating func appendJSONString(_ text: Span<UInt8>) {
        append(atMost: text.count + 2) { output in
            output.append(UInt8(ascii: "\""))
        }
        var start = 0
        while true {
            let end = endOfJSONRun(text, from: start)
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

/// Where the first byte at or after `start` stands that JSON wants escaped, or the end; eight bytes at a time.
private func endOfJSONRun(_ text: Span<UInt8>, from start: Int) -> Int {
    var index = start
    let raw = text.bytes
    while index &+ 8 <= text.count {
        let word = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
        let special = ByteLanes.below32(word) | ByteLanes.equal(word, to: 0x22) | ByteLanes.equal(word, to: 0x5C)
        if special != 0 { return index &+ special.trailingZeroBitCount / 8 }
        index &+= 8
    }
    while index < text.count {
        let byte = text[index]
        if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
        index &+= 1
    }
    return index
}
