/// What a run of load has come to.
public struct LoadOutcome: Sendable {
    /// Journeys that ended well.
    public internal(set) var count = 0
    /// Those that did not, by what went wrong.
    public internal(set) var failures: [String: Int] = [:]
    public internal(set) var seconds = 0.0
    /// Nanoseconds of those that ended well, from when they should have begun; sorted once the run is over.
    var latencies: [UInt64] = []
    /// Nanoseconds by which this process itself was late to begin journeys at a rate, a part of their latency; sorted once the
    /// run is over.
    var lateness: [UInt64] = []

    public init() {}

    /// Takes those of another run to its own.
    public mutating func add(_ other: LoadOutcome) {
        count += other.count
        failures.merge(other.failures, uniquingKeysWith: +)
        seconds += other.seconds
        latencies = (latencies + other.latencies).sorted()
        lateness = (lateness + other.lateness).sorted()
    }

    /// Journeys a second.
    public var rate: Double { Double(count) / seconds }

    /// Milliseconds that a share of all journeys did not exceed.
    public func percentile(_ share: Double) -> Double { Self.percentile(share, of: latencies) }

    /// Milliseconds that the client's own lateness did not exceed for a share of all journeys: more than a fraction of one tells
    /// that the machine has other work.
    public func lateness(_ share: Double) -> Double { Self.percentile(share, of: lateness) }

    private static func percentile(_ share: Double, of sorted: [UInt64]) -> Double {
        guard !sorted.isEmpty else { return 0 }
        return Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]) / 1e6
    }
}
