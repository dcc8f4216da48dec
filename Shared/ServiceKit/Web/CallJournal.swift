internal import Contract
internal import EventLoop
internal import HTTP
internal import Telemetry

/// Counts and logs the outcome of calls, by the template of the route: no path, no content.
struct CallJournal: Sendable {
    let log: Log
    /// Whether every call is logged. A copy, because reading the level copies the log.
    private let logsAll: Bool
    let unrouted: RouteMetrics
    let failures: FailureMetrics

    /// Calls that take more nanoseconds are logged as slow.
    private static let slowCall: UInt64 = 1_000_000_000

    init(_ metrics: MetricsRegistry, log: Log) {
        self.log = log
        logsAll = log.level == .debug
        unrouted = RouteMetrics(metrics, method: "any", template: "none")
        failures = FailureMetrics(metrics)
    }

    func write(_ call: Call, _ status: Status, _ failure: CallFailure?) {
        let duration = EventLoop.preciseNow - call.request.receivedAt
        (call.route?.metrics ?? unrouted).count(status.code, duration)
        if let failure { failures.count(failure.visible.code) }
        if let cause = failure?.cause {
            log(of: call).error(
                "call failed", ["route": route(of: call), "profile": profile(of: call), "cause": .cause(cause)])
        } else if duration > Self.slowCall {
            log(of: call).warning("slow call", ["route": route(of: call), "duration": value(of: duration)])
        } else if logsAll {
            log(of: call).debug(
                "call",
                [
                    "route": route(of: call), "profile": profile(of: call), "status": .count(Int(status.code)),
                    "duration": value(of: duration),
                ])
        }
    }

    private func log(of call: Call) -> Log { log.with(request: call.id, trace: call.trace) }

    private func route(of call: Call) -> LogValue { .name(call.route?.template ?? "none") }

    private func profile(of call: Call) -> LogValue { .name(call.profile.name) }

    private func value(of duration: UInt64) -> LogValue { .duration(.nanoseconds(Int64(duration))) }
}
