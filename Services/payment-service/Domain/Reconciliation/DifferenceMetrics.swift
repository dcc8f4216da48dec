import Synchronization
import Telemetry

/// The metric of unresolved differences. It always has all kinds, so that an alert sees a kind's first difference.
final class DifferenceMetrics: MetricsSource {
    private let counts = Mutex<[Difference.Kind: Int]>([:])

    /// Sets the counts; absent kinds are 0.
    func show(_ counts: [Difference.Kind: Int]) { self.counts.withLock { $0 = counts } }

    func write(to page: inout MetricsPage) {
        page.begin("maru_payment_differences", .gauge, "Unresolved differences in payments and the ledger.")
        let counts = counts.withLock(\.self)
        for kind in Difference.Kind.allCases {
            page.value(Double(counts[kind] ?? 0), labels: ["kind": kind.rawValue])
        }
    }
}
