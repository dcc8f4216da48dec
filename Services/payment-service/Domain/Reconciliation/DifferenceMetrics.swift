import Synchronization
import Telemetry

/// How many differences of each kind stand: all kinds at all times, so that none is missed when it appears.
final class DifferenceMetrics: MetricsSource {
    private let counts = Mutex<[Difference.Kind: Int]>([:])

    /// Shows these counts from now on; kinds that are absent are 0.
    func show(_ counts: [Difference.Kind: Int]) { self.counts.withLock { $0 = counts } }

    func write(to page: inout MetricsPage) {
        page.begin("maru_payment_differences", .gauge, "What does not agree in payments or the ledger.")
        let counts = counts.withLock(\.self)
        for kind in Difference.Kind.allCases {
            page.value(Double(counts[kind] ?? 0), labels: ["kind": kind.rawValue])
        }
    }
}
