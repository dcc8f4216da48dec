extension Timestamp {
    /// Parses the forms of RFC 3339 and the variants that clients send:
    ///
    ///     2024-07-01T12:34:56.789Z
    ///     2024-07-01T12:34:56+0900        also +09:00, +09, without a fraction, with any number of fraction digits
    ///     2024-07-01 12:34:56             only if `offset` is given
    ///
    /// Digits beyond the millisecond are dropped. nil for any other text, including the empty one.
    ///
    /// - Parameter offset: the offset from UTC of a text without a zone; nil refuses such a text.
    public init?(_ text: String, withoutZoneAheadBy offset: Duration? = nil) {
        self.init(parsing: text.utf8.span, withoutZoneAheadBy: offset)
    }

    /// Parses the same texts as ``init(_:withoutZoneAheadBy:)``.
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
