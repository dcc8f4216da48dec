internal import EventLoop

/// A distribution of times or sizes, counted in buckets. Observing takes no lock and contends with no other loop.
public final class Histogram: Sendable {
    /// The upper bounds of the buckets, and their unit.
    public struct Buckets: Sendable, Equatable {
        /// The bounds in nanoseconds or in whole units, ascending.
        let bounds: [UInt64]
        /// The number of those in the displayed unit, which is a second or one.
        let unit: Double

        /// Buckets of times, displayed in seconds.
        public static func durations(_ bounds: Duration...) -> Buckets {
            Buckets(bounds: bounds.map(\.wholeNanoseconds), unit: 1e9)
        }

        /// Buckets of sizes and counts.
        public static func numbers(_ bounds: UInt64...) -> Buckets { Buckets(bounds: bounds, unit: 1) }

        /// Buckets for request latency: from half a millisecond to ten seconds.
        public static let latency = durations(
            .microseconds(500), .milliseconds(1), .microseconds(2500), .milliseconds(5), .milliseconds(10),
            .milliseconds(25), .milliseconds(50), .milliseconds(100), .milliseconds(250), .milliseconds(500),
            .seconds(1), .milliseconds(2500), .seconds(5), .seconds(10))
    }

    let buckets: Buckets
    /// One cell for each bucket, one for values beyond the last bound, and the sum.
    private let cells: ShardedCells

    init(_ buckets: Buckets, for group: EventLoopGroup) {
        precondition(zip(buckets.bounds, buckets.bounds.dropFirst()).allSatisfy(<), "bucket bounds must ascend")
        self.buckets = buckets
        cells = ShardedCells(for: group, count: buckets.bounds.count + 2)
    }

    /// Counts a time.
    public func observe(_ duration: Duration) { observe(duration.wholeNanoseconds) }

    /// Counts a time in nanoseconds, or a size.
    public func observe(_ value: UInt64) {
        var place = 0
        while place < buckets.bounds.count && value > buckets.bounds[place] { place += 1 }
        cells.add(1, at: place)
        cells.add(value, at: buckets.bounds.count + 1)
    }

    /// The counts of each bucket, not cumulated, the last one without bound; and the sum of all values.
    func read() -> (counts: [UInt64], sum: Double) {
        let counts = (0...buckets.bounds.count).map { cells.total(at: $0) }
        return (counts, Double(cells.total(at: buckets.bounds.count + 1)) / buckets.unit)
    }

    /// The number of values so far.
    public var count: UInt64 { read().counts.reduce(0, +) }
}
