/// A waiting GET and the continuation of its reply.
///
/// - Note: `@unchecked Sendable` because it is used on the session's loop only.
final class PollTicket: @unchecked Sendable {
    private var continuation: UnsafeContinuation<Result<PollPayload, EngineError>, Never>?
    private weak var socket: EngineSocket?
    private var isLost = false

    /// The request has arrived on the session's loop; returns false if its client has already gone.
    func wait(_ continuation: UnsafeContinuation<Result<PollPayload, EngineError>, Never>) -> Bool {
        self.continuation = continuation
        if isLost { answer(.failure(.badRequest)) }
        return !isLost
    }

    /// Waits for the reply.
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
