/// The dates of HTTP fields: `Sun, 06 Nov 1994 08:49:37 GMT`, whole seconds.
extension ByteWriter {
    /// Appends `moment` as RFC 9110's IMF-fixdate, without its fraction of a second.
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
    /// Reads RFC 9110's IMF-fixdate; nil for any other text, the two obsolete forms included.
    public init?(httpDate text: some Collection<UInt8>) {
        guard text.count == 29 else { return nil }
        let bytes = Array(text)
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in bytes[range] {
                guard byte.isASCIIDigit else { return nil }
                value = value * 10 + Int(byte & 15)
            }
            return value
        }
        guard bytes[3...4].elementsEqual(", ".utf8), bytes[25...].elementsEqual(" GMT".utf8),
            bytes[7] == 0x20, bytes[11] == 0x20, bytes[16] == 0x20, bytes[19] == 0x3A, bytes[22] == 0x3A,
            HTTPDate.weekdays.contains(where: { $0.description.utf8.elementsEqual(bytes[..<3]) }),
            let month = HTTPDate.months.firstIndex(where: { $0.description.utf8.elementsEqual(bytes[8..<11]) }),
            let day = number(5..<7), let year = number(12..<16),
            let hour = number(17..<19), let minute = number(20..<22), let second = number(23..<25),
            let time = CivilTime(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        self = time.timestamp
    }
}

private enum HTTPDate {
    static let weekdays: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
