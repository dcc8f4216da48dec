/// Parses the parts of a date from left to right.
struct DigitScanner {
    private var index = 0

    func isAtEnd(_ text: Span<UInt8>) -> Bool { index == text.count }

    mutating func skip(_ text: Span<UInt8>, _ character: Unicode.Scalar) -> Bool {
        guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Parses exactly `digits` digits.
    mutating func number(_ text: Span<UInt8>, digits: Int) -> Int? {
        guard index + digits <= text.count else { return nil }
        var value = 0
        for offset in index..<index + digits {
            guard text[offset].isASCIIDigit else { return nil }
            value = value * 10 + Int(text[offset] & 15)
        }
        index += digits
        return value
    }

    /// Parses the digits of a fraction, at least one, as milliseconds; digits beyond the third are skipped.
    mutating func milliseconds(_ text: Span<UInt8>) -> Int? {
        var value = 0
        var unit = 100
        let start = index
        while index < text.count, text[index].isASCIIDigit {
            value += Int(text[index] & 15) * unit
            unit /= 10
            index += 1
        }
        return index > start ? value : nil
    }

    /// Parses `Z`, `+hh:mm`, `+hhmm` or `+hh` as minutes ahead of UTC. A blank counts as `+`, because form decoding
    /// turns `+` into a blank.
    mutating func zone(_ text: Span<UInt8>) -> Int? {
        if skip(text, "Z") || skip(text, "z") { return 0 }
        let behind = skip(text, "-")
        guard behind || skip(text, "+") || skip(text, " ") else { return nil }
        guard let hours = number(text, digits: 2), hours <= 23 else { return nil }
        var minutes = 0
        if !isAtEnd(text) {
            _ = skip(text, ":")
            guard let rest = number(text, digits: 2), rest <= 59 else { return nil }
            minutes = rest
        }
        return behind ? -(hours * 60 + minutes) : hours * 60 + minutes
    }
}
