internal import CCurl
internal import EventLoop

/// One request under way: who waits for it, and what has come of it so far.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop once it has been started;
///   before, only `send` has it.
final class Transfer: @unchecked Sendable {
    typealias Outcome = Result<HTTPClient.Reply, HTTPClient.Failure>

    let request: HTTPClient.Request
    var reply: ReplyCollector
    var handle: EasyHandle?
    var continuation: UnsafeContinuation<Outcome, Never>?
    var deadline: LoopTimer?
    /// Cancelled, perhaps before it was started.
    var isCancelled = false
    /// Sent again, on a connection of its own.
    private var isSecondAttempt = false

    init(_ request: HTTPClient.Request) {
        self.request = request
        reply = ReplyCollector(maximumBodySize: request.maximumReplySize)
    }

    /// Whether any of the request has gone out, on this connection or one before.
    var wasSent: Bool {
        isSecondAttempt || handle.map { ccurl_number($0.raw, CURLINFO_REQUEST_SIZE) > 0 } ?? false
    }

    /// Asked when a connection is ready for the request: curl by itself would send it again where a kept
    /// connection ends without a reply.
    var mayBeSent: Bool { request.isIdempotent || !wasSent }

    /// Makes an idempotent request that was lost with a kept connection ready for a new one, once. curl does so by itself
    /// where a connection ends without a word, but not where it breaks off, or retires streams of HTTP/2 while others send.
    func begins(anewAfter code: CURLcode) -> Bool {
        guard let handle, request.isIdempotent, !isSecondAttempt, isLost(code),
            ccurl_number(handle.raw, CURLINFO_NUM_CONNECTS) == 0
        else { return false }
        isSecondAttempt = true
        reply = ReplyCollector(maximumBodySize: request.maximumReplySize)
        return (try? handle.set(CURLOPT_FRESH_CONNECT, 1)) != nil
    }

    /// How many redirects have been followed.
    var redirects: Int { handle.map { ccurl_number($0.raw, CURLINFO_REDIRECT_COUNT) } ?? 0 }

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
