/// The latencies of calls, by name.
///
/// - Note: Loop-local.
final class Samples {
    private var latencies: [String: [UInt64]] = [:]

    /// Adds the latency of a successful call, in nanoseconds.
    func add(_ name: String, _ nanoseconds: UInt64) { latencies[name, default: []].append(nanoseconds) }

    var names: [String] { latencies.keys.sorted() }

    func count(of name: String) -> Int { latencies[name]?.count ?? 0 }

    /// The number of all calls.
    var count: Int { latencies.values.reduce(0) { $0 + $1.count } }

    /// A percentile in milliseconds, of the calls of one name or of all calls.
    func percentile(_ share: Double, of name: String? = nil) -> Double {
        let times = (name.map { latencies[$0] ?? [] } ?? Array(latencies.values.joined())).sorted()
        guard !times.isEmpty else { return 0 }
        return Double(times[min(times.count - 1, Int(share * Double(times.count)))]) / 1e6
    }
}
