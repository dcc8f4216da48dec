/// The requests that share one sync in a connection's pipeline: one request of any kind, or several reads.
final class RequestGroup {
    private(set) var requests: [Request]
    /// How many of several requests the server has answered.
    private var answered = 0

    init(_ request: Request) { requests = [request] }

    func add(_ request: Request) { requests.append(request) }

    /// The request that the next result belongs to. A request that is alone may have several results.
    var current: Request { requests.count == 1 ? requests[0] : requests[min(answered, requests.count - 1)] }

    func received(_ result: PostgresResult) {
        current.received(result)
        answered += 1
    }

    func failed(_ error: PostgresError) {
        current.failed(error)
        answered += 1
    }

    /// Whether a request failed, so that the server rolled back and skipped the others.
    var hasFailed: Bool { requests.contains { $0.error != nil } }
}
