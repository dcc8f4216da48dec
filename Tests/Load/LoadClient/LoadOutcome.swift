/// The result of a run.
public struct LoadOutcome: Sendable {
    /// Successful journeys.
    public internal(set) var count = 0
    /// Failed journeys by cause.
    public internal(set) var failures: [String: Int] = [:]
    public internal(set) var seconds = 0.0
    /// Latencies of successful journeys from their planned start, in nanoseconds. Sorted after the run.
    var latencies: [UInt64] = []
    /// Delays of the starts of journeys caused by this process, in nanoseconds. They are part of the latencies. Sorted
    /// after the run.
    var lateness: [UInt64] = []

    public init() {}

    /// Adds the results of another run.
    public mutating func add(_ other: LoadOutcome) {
        count += other.count
        failures.merge(other.failures, uniquingKeysWith: +)
        seconds += other.seconds
        latencies = (latencies + other.latencies).sorted()
        lateness = (lateness + other.lateness).sorted()
    }

    /// Successful journeys per second.
    public var rate: Double { Double(count) / seconds }

    /// A percentile of the latencies, in milliseconds.
    public func percentile(_ share: Double) -> Double { Self.percentile(share, of: latencies) }

    /// A percentile of the client's own delays, in milliseconds. More than a fraction of 1 ms means that the machine is
    /// busy.
    public func lateness(_ share: Double) -> Double { Self.percentile(share, of: lateness) }

    private static func percentile(_ share: Double, of sorted: [UInt64]) -> Double {
        guard !sorted.isEmpty else { return 0 }
        return Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]) / 1e6
    }
}
