internal import CSystem

/// A moment, in whole milliseconds since the start of 1970, UTC.
///
/// Its text is always `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'`, so texts sort as moments do. Arithmetic saturates at the limits
/// of 64 bits.
public struct Timestamp: Hashable, Sendable {
    public var milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    public init(seconds: Int64) {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
    }

    /// The present, by the system's clock.
    public static var now: Timestamp {
        Timestamp(milliseconds: cs_wall_microseconds() / 1000)
    }

    /// The present or some milliseconds earlier, for a fraction of the cost of `now`.
    public static var recent: Timestamp {
        Timestamp(milliseconds: cs_wall_microseconds_of_tick() / 1000)
    }

    /// The first millisecond that has a text: the start of the year 0.
    public static let earliest = Timestamp(milliseconds: -62_167_219_200_000)
    /// The last millisecond that has a text: the end of the year 9999.
    public static let latest = Timestamp(milliseconds: 253_402_300_799_999)

    /// Whole seconds since the start of 1970, rounded down.
    public var seconds: Int64 {
        milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
    }
}

extension Timestamp: Comparable {
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    public static func + (moment: Timestamp, duration: Duration) -> Timestamp {
        moment.moved(by: duration.wholeMilliseconds)
    }

    public static func - (moment: Timestamp, duration: Duration) -> Timestamp {
        moment.moved(by: -duration.wholeMilliseconds)
    }

    /// The time from `right` to `left`.
    public static func - (left: Timestamp, right: Timestamp) -> Duration {
        .milliseconds(left.milliseconds) - .milliseconds(right.milliseconds)
    }

    private func moved(by difference: Int64) -> Timestamp {
        let (sum, overflow) = milliseconds.addingReportingOverflow(difference)
        return Timestamp(milliseconds: overflow ? (difference < 0 ? .min : .max) : sum)
    }
}
