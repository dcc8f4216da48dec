/// One waiting GET: where its answer is awaited.
///
/// - Note: `@unchecked Sendable` because it is used on the session's loop only.
final class PollTicket: @unchecked Sendable {
    private var continuation: UnsafeContinuation<Result<PollPayload, EngineError>, Never>?
    private weak var socket: EngineSocket?
    private var isLost = false

    /// The request has come to the session's loop; false where its client has gone already.
    func wait(_ continuation: UnsafeContinuation<Result<PollPayload, EngineError>, Never>) -> Bool {
        self.continuation = continuation
        if isLost { answer(.failure(.badRequest)) }
        return !isLost
    }

    /// What the request waits for.
    func wait(for socket: EngineSocket) { self.socket = socket }

    func answer(_ result: Result<PollPayload, EngineError>) {
        continuation?.resume(returning: result)
        continuation = nil
    }

    /// The client has gone.
    func lose() {
        isLost = true
        guard continuation != nil else { return }
        socket?.pollLost(self)
        answer(.failure(.badRequest))
    }
}
