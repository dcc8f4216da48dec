import Telemetry

/// Counts reads of history while the primary does not answer.
struct ReplicaMetrics: Sendable {
    private let served: Counter
    private let refused: [ReplicaRefusal: Counter]

    init(_ metrics: MetricsRegistry) {
        func counter(_ outcome: String) -> Counter {
            metrics.counter(
                "maru_replica_reads_total", "Reads of history while the primary did not answer, by outcome.",
                labels: ["outcome": outcome])
        }
        served = counter("served")
        refused = Dictionary(uniqueKeysWithValues: ReplicaRefusal.allCases.map { ($0, counter($0.rawValue)) })
    }

    func countServed() { served.increment() }

    func count(_ refusal: ReplicaRefusal) { refused[refusal]?.increment() }
}
