internal import Contract
internal import EventLoop
internal import Telemetry

/// Counts and logs what became of calls: the template instead of the path, and nothing of what was said.
struct CallJournal: Sendable {
    let log: Log
    let unrouted: RouteMetrics
    let failures: FailureMetrics

    /// Slower calls are logged.
    private static let patience = Duration.seconds(1)

    init(_ metrics: MetricsRegistry, log: Log) {
        self.log = log
        unrouted = RouteMetrics(metrics, method: "any", template: "none")
        failures = FailureMetrics(metrics)
    }

    func write(_ report: CallReport) {
        (report.route?.metrics ?? unrouted).count(report.status, report.duration)
        if let failure = report.failure { failures.count(failure.code) }
        let log = log.with(request: report.id, trace: report.trace)
        if let cause = report.cause {
            log.error(
                "call failed",
                ["route": .name(report.template), "profile": .name(report.profile), "cause": .cause(cause)])
        } else if report.duration > Self.patience {
            log.warning("slow call", ["route": .name(report.template), "duration": .duration(report.duration)])
        } else {
            log.debug(
                "call",
                [
                    "route": .name(report.template), "profile": .name(report.profile),
                    "status": .count(Int(report.status)), "duration": .duration(report.duration),
                ])
        }
    }
}
