/// Dates of HTTP headers: `Sun, 06 Nov 1994 08:49:37 GMT`, in whole seconds.
extension ByteWriter {
    /// Appends `moment` in RFC 9110's IMF-fixdate, without its fraction of a second.
    public mutating func append(httpDate moment: Timestamp) {
        let time = CivilTime(moment)
        let days = CivilTime.days(of: moment)
        // 1970 began on a Thursday.
        append(HTTPDate.weekdays[Int(((days + 4) % 7 + 7) % 7)])
        append(", ")
        append(decimal: time.day, width: 2)
        append(" ")
        append(HTTPDate.months[time.month - 1])
        append(" ")
        append(decimal: time.year, width: 4)
        append(" ")
        append(decimal: time.hour, width: 2)
        append(":")
        append(decimal: time.minute, width: 2)
        append(":")
        append(decimal: time.second, width: 2)
        append(" GMT")
    }
}

extension Timestamp {
    /// Parses the three forms of RFC 9110: IMF-fixdate, the obsolete form of RFC 850, with a two-digit year at most
    /// fifty years ahead of `now`, and the obsolete form of asctime. nil for any other text.
    public init?(httpDate text: some Collection<UInt8>, now: Timestamp = .now) {
        let bytes = Array(text.prefix(HTTPDate.longest + 1))
        guard let time = HTTPDate.fixed(bytes) ?? HTTPDate.asctime(bytes) ?? HTTPDate.rfc850(bytes, now) else {
            return nil
        }
        self = time.timestamp
    }
}

private enum HTTPDate {
    static let weekdays: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let longWeekdays: [StaticString] = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]
    static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// `Wednesday, 06-Nov-94 08:49:37 GMT`.
    static let longest = 33

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func fixed(_ text: [UInt8]) -> CivilTime? {
        guard text.count == 29, index(of: text[..<3], in: weekdays) != nil, text[3..<5].elementsEqual(", ".utf8),
            text[7] == 0x20, text[11] == 0x20, text[16] == 0x20, text[25...].elementsEqual(" GMT".utf8),
            let day = number(text[5..<7]), let month = index(of: text[8..<11], in: months),
            let year = number(text[12..<16])
        else { return nil }
        return time(year, month, day, text[17..<25])
    }

    /// `Sun Nov  6 08:49:37 1994`.
    static func asctime(_ text: [UInt8]) -> CivilTime? {
        guard text.count == 24, index(of: text[..<3], in: weekdays) != nil, text[3] == 0x20, text[7] == 0x20,
            text[10] == 0x20, text[19] == 0x20, let month = index(of: text[4..<7], in: months),
            let day = number(text[8] == 0x20 ? text[9..<10] : text[8..<10]), let year = number(text[20...])
        else { return nil }
        return time(year, month, day, text[11..<19])
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`.
    static func rfc850(_ text: [UInt8], _ now: Timestamp) -> CivilTime? {
        guard let comma = text.firstIndex(of: UInt8(ascii: ",")), text.count == comma + 24,
            index(of: text[..<comma], in: longWeekdays) != nil
        else { return nil }
        let rest = Array(text[(comma + 1)...])
        guard rest[0] == 0x20, rest[3] == UInt8(ascii: "-"), rest[7] == UInt8(ascii: "-"), rest[10] == 0x20,
            rest[19...].elementsEqual(" GMT".utf8), let day = number(rest[1..<3]),
            let month = index(of: rest[4..<7], in: months), let short = number(rest[8..<10])
        else { return nil }
        let thisYear = CivilTime(now).year
        let year = thisYear - thisYear % 100 + short
        return time(year > thisYear + 50 ? year - 100 : year, month, day, rest[11..<19])
    }

    /// Parses a time of day such as `08:49:37`.
    private static func time(_ year: Int, _ month: Int, _ day: Int, _ clock: ArraySlice<UInt8>) -> CivilTime? {
        let clock = Array(clock)
        guard clock[2] == UInt8(ascii: ":"), clock[5] == UInt8(ascii: ":"), let hour = number(clock[..<2]),
            let minute = number(clock[3..<5]), let second = number(clock[6...])
        else { return nil }
        return CivilTime(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
    }

    private static func index(of text: ArraySlice<UInt8>, in words: [StaticString]) -> Int? {
        words.firstIndex { $0.description.utf8.elementsEqual(text) }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in digits {
            guard byte.isASCIIDigit else { return nil }
            value = value * 10 + Int(byte & 15)
        }
        return value
    }
}
