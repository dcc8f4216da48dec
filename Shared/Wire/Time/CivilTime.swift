/// A date of the Gregorian calendar and a time of day, UTC.
struct CivilTime {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int
    var millisecond: Int

    private static let millisecondsOfDay: Int64 = 86_400_000

    /// Computes the date in eras of 400 years that begin on 1 March, so that leap days come last.
    init(_ moment: Timestamp) {
        let days = Int(Self.days(of: moment))
        var rest = Int(moment.milliseconds &- Int64(days) &* Self.millisecondsOfDay)
        (rest, millisecond) = rest.quotientAndRemainder(dividingBy: 1000)
        (rest, second) = rest.quotientAndRemainder(dividingBy: 60)
        (hour, minute) = rest.quotientAndRemainder(dividingBy: 60)

        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// nil if the date or the time does not exist; a leap second becomes the next second.
    init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, millisecond: Int = 0) {
        guard (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year) else { return nil }
        guard (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second) else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.millisecond = millisecond
    }

    var timestamp: Timestamp {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
        return Timestamp(milliseconds: Int64(seconds) * 1000 + Int64(millisecond))
    }

    /// Whole days since 1970, rounded down.
    static func days(of moment: Timestamp) -> Int64 {
        let (days, rest) = moment.milliseconds.quotientAndRemainder(dividingBy: millisecondsOfDay)
        return rest < 0 ? days - 1 : days
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
