extension Timestamp {
    /// Reads the forms of RFC 3339 and what clients make of them:
    ///
    ///     2024-07-01T12:34:56.789Z
    ///     2024-07-01T12:34:56+0900        also +09:00, +09, without a fraction, with any number of its digits
    ///     2024-07-01 12:34:56             only with an offset for such
    ///
    /// Digits beyond the millisecond are cut off. `nil` for everything else, the empty text included.
    ///
    /// - Parameter offset: how far ahead of UTC a text without a zone is; `nil` refuses it.
    public init?(_ text: String, withoutZoneAheadBy offset: Duration? = nil) {
        self.init(parsing: text.utf8.span, withoutZoneAheadBy: offset)
    }

    /// Reads what ``init(_:withoutZoneAheadBy:)`` reads.
    public init?(parsing text: Span<UInt8>, withoutZoneAheadBy offset: Duration? = nil) {
        var scanner = DigitScanner()
        guard let year = scanner.number(text, digits: 4), scanner.skip(text, "-"),
            let month = scanner.number(text, digits: 2), scanner.skip(text, "-"),
            let day = scanner.number(text, digits: 2),
            scanner.skip(text, "T") || scanner.skip(text, "t") || scanner.skip(text, " "),
            let hour = scanner.number(text, digits: 2), scanner.skip(text, ":"),
            let minute = scanner.number(text, digits: 2), scanner.skip(text, ":"),
            let second = scanner.number(text, digits: 2)
        else { return nil }
        var millisecond = 0
        if scanner.skip(text, ".") {
            guard let fraction = scanner.milliseconds(text) else { return nil }
            millisecond = fraction
        }
        let minutesAhead: Int
        if scanner.isAtEnd(text) {
            guard let offset else { return nil }
            minutesAhead = Int(offset.components.seconds / 60)
        } else {
            guard let zone = scanner.zone(text), scanner.isAtEnd(text) else { return nil }
            minutesAhead = zone
        }
        guard
            let time = CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second,
                millisecond: millisecond)
        else { return nil }
        let moment = Timestamp(milliseconds: time.timestamp.milliseconds - Int64(minutesAhead) * 60_000)
        self = min(max(moment, .earliest), .latest)
    }
}

/// Reads the parts of a date from left to right.
struct DigitScanner {
    private var index = 0

    func isAtEnd(_ text: Span<UInt8>) -> Bool { index == text.count }

    mutating func skip(_ text: Span<UInt8>, _ character: Unicode.Scalar) -> Bool {
        guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Exactly `digits` digits.
    mutating func number(_ text: Span<UInt8>, digits: Int) -> Int? {
        guard index + digits <= text.count else { return nil }
        var value = 0
        for place in index..<index + digits {
            guard text[place].isASCIIDigit else { return nil }
            value = value * 10 + Int(text[place] & 15)
        }
        index += digits
        return value
    }

    /// The digits behind the point, at least one; those beyond the third are skipped.
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

    /// `Z`, `+hh:mm`, `+hhmm` or `+hh` in minutes ahead of UTC. A blank is a `+` that a form has decoded.
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
