internal import CCurl
internal import EventLoop

/// One request under way: who waits for it, and what has come of it so far.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop once it has been started; before, only `send` has it.
final class Transfer: @unchecked Sendable {
    typealias Outcome = Result<HTTPClient.Reply, HTTPClient.Failure>

    let request: HTTPClient.Request
    var reply: ReplyCollector
    private(set) var handle: EasyHandle?
    private var continuation: UnsafeContinuation<Outcome, Never>?
    private var deadline: LoopTimer?
    /// How often curl went to send the request, on a kept connection that turned out dead or after a redirect included.
    private var attempts = 0

    var wasSent: Bool { attempts > 0 }

    init(_ request: HTTPClient.Request) {
        self.request = request
        reply = ReplyCollector(maximumBodySize: request.maximumReplySize)
    }

    func begin(with handle: EasyHandle, _ continuation: UnsafeContinuation<Outcome, Never>, deadline: LoopTimer) {
        self.handle = handle
        self.continuation = continuation
        self.deadline = deadline
    }

    /// Called when a connection is ready for the request.
    ///
    /// - Returns: whether to send it. curl would send it again by itself where a kept connection ends without a reply.
    func mayBeSent() -> Bool {
        attempts += 1
        let redirects = handle.map { ccurl_number($0.raw, CURLINFO_REDIRECT_COUNT) } ?? 0
        return request.isIdempotent || attempts <= 1 + redirects
    }

    /// Hands over the outcome; curl must have let go of the handle.
    func end(with outcome: Outcome) -> EasyHandle? {
        defer { handle = nil }
        deadline?.cancel()
        deadline = nil
        continuation?.resume(returning: outcome)
        continuation = nil
        return handle
    }

    func end(_ kind: HTTPClient.Failure.Kind, _ detail: String = "") -> EasyHandle? {
        end(with: .failure(.init(kind: kind, detail: detail, mayHaveBeenProcessed: wasSent)))
    }
}
