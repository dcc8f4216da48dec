internal import Contract
internal import EventLoop
internal import HTTP
internal import Wire

/// What became of a call, for metrics and logs: the template instead of the path, and nothing of what was said.
struct CallReport {
    let method: Method
    let id: RequestID
    var template = "unknown"
    var profile = "none"
    var user: UserID?
    private(set) var status: UInt16 = 0
    private(set) var failure: Failure?
    /// Set where the server is to blame.
    private(set) var cause: (any Error)?
    private(set) var duration = Duration.zero

    init(request: Request, id: RequestID) {
        method = request.method
        self.id = id
    }

    mutating func failed(with failure: Failure, because error: any Error) {
        self.failure = failure
        if failure.code == .serverError { cause = error }
    }

    mutating func ended(_ status: Status, start: UInt64) {
        self.status = status.code
        duration = .nanoseconds(Int64(EventLoop.preciseNow - start))
    }
}
