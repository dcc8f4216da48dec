internal import CCurl
internal import EventLoop

/// A running request: its waiting caller, and the part of the reply that has arrived.
///
/// - Note: `@unchecked Sendable` because it is confined to its loop once it is started; before, only `send` uses it.
final class Transfer: @unchecked Sendable {
    typealias Outcome = Result<HTTPClient.Reply, HTTPClient.Failure>

    let request: HTTPClient.Request
    var reply: ReplyCollector
    var handle: EasyHandle?
    var continuation: UnsafeContinuation<Outcome, Never>?
    var deadline: LoopTimer?
    /// Cancelled, perhaps before it was started.
    var isCancelled = false
    /// The addresses to which it may connect; nil for all.
    var peers: PeerRule?
    /// Whether the rule has refused an address.
    private(set) var wasForbidden = false
    /// Sent again, on a new connection.
    private var isSecondAttempt = false

    init(_ request: HTTPClient.Request) {
        self.request = request
        reply = ReplyCollector(maximumBodySize: request.maximumReplySize)
    }

    /// Whether a part of the request was sent, on this connection or an earlier one.
    var wasSent: Bool {
        isSecondAttempt || handle.map { ccurl_number($0.raw, CURLINFO_REQUEST_SIZE) > 0 } ?? false
    }

    /// Called when a connection is ready for the request. It stops curl's own repetition when a kept connection ends
    /// without a reply.
    var mayBeSent: Bool { request.isIdempotent || !wasSent }

    /// Whether the rule allows the address that curl has found.
    func mayConnect(to address: UnsafePointer<curl_sockaddr>) -> Bool {
        guard let peers else { return true }
        var bytes = [UInt8](repeating: 0, count: 16)
        var port: UInt16 = 0
        let count = ccurl_read_address(address, &bytes, &port)
        let isAllowed = IPAddress(bytes: Array(bytes.prefix(count))).map { peers.allows($0, port: port) } ?? false
        if !isAllowed { wasForbidden = true }
        return isAllowed
    }

    /// Prepares an idempotent request that was lost with a kept or shared connection for one of its own, once. curl
    /// repeats only requests whose connection ended without a byte, not those whose connection broke off or whose
    /// HTTP/2 stream was retired.
    func begins(anewAfter code: CURLcode) -> Bool {
        guard let handle, request.isIdempotent, !isSecondAttempt, isLost(code),
            isRetired(code) || ccurl_number(handle.raw, CURLINFO_NUM_CONNECTS) == 0
        else { return false }
        isSecondAttempt = true
        reply = ReplyCollector(maximumBodySize: request.maximumReplySize)
        do throws(RefusedOption) {
            try handle.set(CURLOPT_FRESH_CONNECT, 1)
            // Requests would join a new HTTP/2 connection, and the server would soon retire it too.
            try handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
            try handle.set(CURLOPT_FORBID_REUSE, 1)
            return true
        } catch {
            return false
        }
    }

    /// Whether an HTTP/2 stream ended. The server may have retired the connection because of other requests, even if this
    /// request opened it. If it closes the connection at once, the reply may be cut off.
    private func isRetired(_ code: CURLcode) -> Bool {
        code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM || handle.map(Self.isHTTP2) ?? false
    }

    /// Whether the reply came by HTTP/2; false before its head.
    static func isHTTP2(_ handle: EasyHandle) -> Bool {
        ccurl_number(handle.raw, CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0
    }

    /// The number of followed redirects.
    var redirects: Int { handle.map { ccurl_number($0.raw, CURLINFO_REDIRECT_COUNT) } ?? 0 }

    /// Delivers the outcome; curl must have released the handle.
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
