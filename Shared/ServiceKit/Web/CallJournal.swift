internal import Contract
internal import EventLoop
internal import HTTP
internal import Telemetry

/// Counts calls and logs each one in one line, by the template of the route: no path, no content.
struct CallJournal: Sendable {
    let log: Log
    /// The share of calls that are logged; failed and slow calls are always logged.
    let sample: LogSample
    let unrouted: RouteMetrics
    let failures: FailureMetrics

    /// Calls that take more nanoseconds are logged as slow.
    private static let slowCall: UInt64 = 1_000_000_000

    init(_ metrics: MetricsRegistry, log: Log, sample: LogSample) {
        self.log = log
        self.sample = sample
        unrouted = RouteMetrics(metrics, method: "any", template: "none")
        failures = FailureMetrics(metrics)
    }

    /// Records a call that has ended. `caller` is nil for a call without a valid token.
    func write(_ call: Call, _ caller: Caller?, _ status: Status, _ failure: CallFailure?) {
        let duration = EventLoop.preciseNow - call.request.receivedAt
        (call.route?.metrics ?? unrouted).count(status.code, duration)
        if let failure { failures.count(failure.visible.code) }
        let isFailed = failure?.cause != nil
        let isSlow = duration > Self.slowCall
        guard isFailed || isSlow || sample.contains(call.id) else { return }
        let (level, message): (LogLevel, StaticString) =
            isFailed ? (.error, "call failed") : isSlow ? (.warning, "slow call") : (.info, "call")
        guard level >= log.level else { return }
        log.with(request: call.id, trace: call.trace).write(level, message) { line in
            line.field("method", .name(call.request.method.rawValue))
            line.field("route", .name(call.route?.template ?? "none"))
            line.field("status", .count(Int(status.code)))
            if let caller { line.field("user", .id(caller.user)) }
            line.field("profile", .name(call.profile.name))
            line.field("duration_ms", .duration(.nanoseconds(Int64(duration))))
            if let failure { line.field("code", .name(failure.visible.code.rawValue)) }
            if let cause = failure?.cause { line.field("cause", .cause(cause)) }
        }
    }
}

/// The share of requests whose calls are logged. The id of a request decides, so that all services log the same requests.
struct LogSample: Sendable {
    private let limit: UInt32
    private let isWhole: Bool

    /// - Parameter share: from 0, no request, to 1, every request.
    init(_ share: Double) {
        isWhole = share >= 1
        limit = UInt32(max(0, min(share, 1)) * Double(UInt32.max))
    }

    func contains(_ id: RequestID) -> Bool { isWhole || Self.hash(of: id) < limit }

    /// FNV, and then a mix of the bits: ids can differ in their last digits only.
    private static func hash(of id: RequestID) -> UInt32 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in id.description.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ (hash >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        return UInt32(truncatingIfNeeded: hash >> 32)
    }
}
