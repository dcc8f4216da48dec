/// Parses a header with parameters from left to right.
struct HeaderScanner {
    private var index = 0

    func isAtEnd(_ field: Span<UInt8>) -> Bool { index == field.count }

    mutating func skip(_ field: Span<UInt8>, _ byte: UInt8) -> Bool {
        guard index < field.count, field[index] == byte else { return false }
        index += 1
        return true
    }

    /// The text before the next `end` or `;`, without surrounding blanks.
    mutating func token(_ field: Span<UInt8>, until end: UInt8) -> String? {
        skipBlanks(field)
        let start = index
        while index < field.count, field[index] != end, field[index] != UInt8(ascii: ";") { index += 1 }
        return text(field, from: start)
    }

    /// A token or a quoted string, and the blanks after it.
    mutating func value(_ field: Span<UInt8>) -> String? {
        skipBlanks(field)
        guard skip(field, UInt8(ascii: "\"")) else { return token(field, until: UInt8(ascii: ";")) }
        var bytes: [UInt8] = []
        while index < field.count {
            let byte = field[index]
            index += 1
            if byte == UInt8(ascii: "\"") {
                skipBlanks(field)
                return String(validating: bytes, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\"), index < field.count,
                field[index] == UInt8(ascii: "\"") || field[index] == UInt8(ascii: "\\")
            {
                bytes.append(field[index])
                index += 1
            } else {
                bytes.append(byte)
            }
        }
        return nil
    }

    private mutating func skipBlanks(_ field: Span<UInt8>) {
        while index < field.count, field[index] == 0x20 || field[index] == 0x09 { index += 1 }
    }

    private func text(_ field: Span<UInt8>, from start: Int) -> String? {
        var end = index
        while end > start, field[end - 1] == 0x20 || field[end - 1] == 0x09 { end -= 1 }
        return field.extracting(start..<end).withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
    }
}
