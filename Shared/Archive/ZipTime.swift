import Wire

/// A time as zip archives have it since MS-DOS: in steps of two seconds, from 1980 to 2107, here in UTC.
struct ZipTime: Sendable, Equatable {
    let date: UInt16
    let time: UInt16

    init(_ moment: Timestamp) {
        let seconds = min(max(moment.seconds, Self.first), Self.last)
        let (days, second) = (seconds / 86_400, seconds % 86_400)
        // The civil date of a number of days: years begin in March, so that leap days end them.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        date = UInt16((year - 1980) << 9 | month << 5 | day)
        time = UInt16((second / 3600) << 11 | (second / 60 % 60) << 5 | (second % 60) / 2)
    }

    /// The start of 1980 and the end of 2107.
    private static let first: Int64 = 315_532_800
    private static let last: Int64 = 4_354_819_199
}
