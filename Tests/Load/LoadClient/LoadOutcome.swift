/// What a run of load has come to.
public struct LoadOutcome: Sendable {
    /// Journeys that ended well.
    public internal(set) var count = 0
    /// Those that did not, by what went wrong.
    public internal(set) var failures: [String: Int] = [:]
    public internal(set) var seconds = 0.0
    /// Nanoseconds of those that ended well, from when they should have begun; sorted once the run is over.
    var latencies: [UInt64] = []

    /// Journeys a second.
    public var rate: Double { Double(count) / seconds }

    /// Milliseconds that a share of all journeys did not exceed.
    public func percentile(_ share: Double) -> Double {
        guard !latencies.isEmpty else { return 0 }
        return Double(latencies[min(latencies.count - 1, Int(share * Double(latencies.count)))]) / 1e6
    }
}
