internal import Contract
internal import EventLoop
internal import Telemetry

/// Counts and logs what became of calls: the template instead of the path, and nothing of what was said.
struct CallJournal: Sendable {
    let log: Log
    /// Whether every call is logged; kept, because asking the log copies it.
    private let logsAll: Bool
    let unrouted: RouteMetrics
    let failures: FailureMetrics

    /// Calls that take more nanoseconds are logged.
    private static let patience: UInt64 = 1_000_000_000

    init(_ metrics: MetricsRegistry, log: Log) {
        self.log = log
        logsAll = log.level == .debug
        unrouted = RouteMetrics(metrics, method: "any", template: "none")
        failures = FailureMetrics(metrics)
    }

    func write(_ report: CallReport) {
        if let route = report.route {
            route.metrics.count(report.status, report.duration)
        } else {
            unrouted.count(report.status, report.duration)
        }
        if let failure = report.failure { failures.count(failure.code) }
        if let cause = report.cause {
            log(of: report).error(
                "call failed",
                ["route": .name(report.template), "profile": .name(report.profile), "cause": .cause(cause)])
        } else if report.duration > Self.patience {
            log(of: report).warning(
                "slow call", ["route": .name(report.template), "duration": duration(of: report)])
        } else if logsAll {
            log(of: report).debug(
                "call",
                [
                    "route": .name(report.template), "profile": .name(report.profile),
                    "status": .count(Int(report.status)), "duration": duration(of: report),
                ])
        }
    }

    private func log(of report: CallReport) -> Log { log.with(request: report.id, trace: report.trace) }

    private func duration(of report: CallReport) -> LogValue { .duration(.nanoseconds(Int64(report.duration))) }
}
