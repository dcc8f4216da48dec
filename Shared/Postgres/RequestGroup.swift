/// What shares one sync in a connection's pipeline: one request, or several that only read.
final class RequestGroup {
    private(set) var requests: [Request]
    /// Where a group of several is: so many have been answered by the server.
    private var position = 0

    init(_ request: Request) { requests = [request] }

    func add(_ request: Request) { requests.append(request) }

    /// Whose result comes next. One request by itself may have several.
    var current: Request { requests.count == 1 ? requests[0] : requests[min(position, requests.count - 1)] }

    func received(_ result: PostgresResult) {
        current.received(result)
        position += 1
    }

    func failed(_ error: PostgresError) {
        current.failed(error)
        position += 1
    }

    /// Whether one failed, so that the server undid and skipped the rest.
    var hasFailed: Bool { requests.contains { $0.error != nil } }
}
