internal import Contract
internal import EventLoop
internal import HTTP
internal import Telemetry
internal import Wire

/// What is known of a call when it has ended.
struct CallReport {
    let id: RequestID
    let trace: TraceContext?
    var route: ServedRoute?
    var client = ClientKey.none
    private(set) var status: UInt16 = 0
    private(set) var failure: Failure?
    /// Set where the server is to blame.
    private(set) var cause: (any Error)?
    /// Nanoseconds.
    private(set) var duration: UInt64 = 0

    init(id: RequestID, trace: TraceContext?) {
        self.id = id
        self.trace = trace
    }

    var template: String { route?.template ?? "none" }
    var profile: String { client.profile.name }

    mutating func failed(with failure: Failure, because error: any Error) {
        self.failure = failure
        if failure.code == .serverError { cause = error }
    }

    mutating func ended(_ status: Status, start: UInt64) {
        self.status = status.code
        duration = EventLoop.preciseNow - start
    }
}
