/// How long calls took, by their names.
///
/// - Note: Confined to its loop.
final class Samples {
    private var taken: [String: [UInt64]] = [:]

    /// Nanoseconds of a call that ended well.
    func add(_ name: String, _ nanoseconds: UInt64) { taken[name, default: []].append(nanoseconds) }

    var names: [String] { taken.keys.sorted() }

    func count(of name: String) -> Int { taken[name]?.count ?? 0 }

    /// Of all calls.
    var count: Int { taken.values.reduce(0) { $0 + $1.count } }

    /// Milliseconds that a share of the calls of this name, or of all, did not exceed.
    func percentile(_ share: Double, of name: String? = nil) -> Double {
        let times = (name.map { taken[$0] ?? [] } ?? Array(taken.values.joined())).sorted()
        guard !times.isEmpty else { return 0 }
        return Double(times[min(times.count - 1, Int(share * Double(times.count)))]) / 1e6
    }
}
