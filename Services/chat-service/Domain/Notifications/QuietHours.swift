import Contract

/// Do-not-disturb hours: from a minute of the day up to another one, in a time zone. They may span midnight.
struct QuietHours: Sendable, Equatable {
    /// A minute of the day, written as `22:30`.
    struct TimeOfDay: Sendable, Equatable {
        /// Minutes since midnight, 0 to 1439.
        let minutes: Int16

        init(minutes: Int16) { self.minutes = minutes }

        /// Reads two digits of the hour, a colon and two digits of the minute; nil for anything else.
        init?(_ text: String) {
            let bytes = Array(text.utf8)
            let digits = [0, 1, 3, 4].map { bytes.count == 5 ? Int16(bytes[$0]) - 48 : -1 }
            guard digits.allSatisfy({ (0...9).contains($0) }), bytes[2] == UInt8(ascii: ":") else { return nil }
            let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
            guard hour < 24, minute < 60 else { return nil }
            minutes = hour * 60 + minute
        }

        var text: String {
            let (hour, minute) = (minutes / 60, minutes % 60)
            return "\(hour / 10)\(hour % 10):\(minute / 10)\(minute % 10)"
        }
    }

    let from: TimeOfDay
    let to: TimeOfDay
    /// A name of the IANA time zone database, such as `Asia/Seoul`.
    let zone: String
}
