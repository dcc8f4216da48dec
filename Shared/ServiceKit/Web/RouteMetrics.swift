internal import Contract
internal import Telemetry

/// The metrics of one route, created with the route, so that counting needs no lookup.
final class RouteMetrics: Sendable {
    private let durations: Histogram
    private let succeeded: Counter
    private let refused: Counter
    private let failed: Counter

    init(_ metrics: MetricsRegistry, method: String, template: String) {
        durations = metrics.histogram(
            "maru_call_seconds", "How long calls take, from the complete head to the reply.",
            labels: ["method": method, "route": template], buckets: .latency)
        func counter(_ outcome: String) -> Counter {
            metrics.counter(
                "maru_calls_total", "Calls by outcome.",
                labels: ["method": method, "route": template, "outcome": outcome])
        }
        succeeded = counter("succeeded")
        refused = counter("refused")
        failed = counter("failed")
    }

    /// Counts a call with its duration in nanoseconds.
    func count(_ status: UInt16, _ duration: UInt64) {
        durations.observe(duration)
        switch status {
        case ..<400: succeeded.increment()
        case 400..<500: refused.increment()
        default: failed.increment()
        }
    }
}

/// The failures that clients got, by code.
struct FailureMetrics: Sendable {
    private let counters: [ErrorCode: Counter]

    init(_ metrics: MetricsRegistry) {
        counters = Dictionary(
            uniqueKeysWithValues: ErrorCode.allCases.map { code in
                let counter = metrics.counter(
                    "maru_failures_total", "Failures that clients got, by code.", labels: ["code": code.rawValue])
                return (code, counter)
            })
    }

    func count(_ code: ErrorCode) { counters[code]?.increment() }
}
