import Contract
import HTTP
import ServiceKit
import Wire

/// Makes one call to the receiver of a subscription.
struct WebhookReceivers: Sendable {
    let http: HTTPClient
    let signer: WebhookSigner
    let timeout: Duration

    /// Bytes of a reply, which nobody reads.
    private static let largestReply = 64 * 1024

    /// The outcome of a call.
    struct Answer: Sendable {
        enum Verdict: Sendable {
            case taken
            /// It may be sent again.
            case refused
            /// The receiver wants no events any more.
            case gone
        }

        let verdict: Verdict
        /// Nil without a reply.
        let status: Int?
        /// For the manager; nil if the event was taken.
        let error: String?
        var retryAfter: Duration?
        /// Whether its address may not be called.
        var isForbidden = false
    }

    /// - Parameter id: the name of the event, the same for all attempts.
    func call(_ subscription: WebhookSubscription, id: String, _ body: [UInt8]) async -> Answer {
        let now = Timestamp.now
        var request = signer.request(to: subscription.url, body, id: id, by: subscription.seeds, now: now)
        request.deadline = timeout
        request.maximumReplySize = Self.largestReply
        // The receiver knows a repetition by its id.
        request.isIdempotent = true
        do throws(HTTPClient.Failure) {
            return Self.answer(to: try await http.send(request), now: now)
        } catch {
            return Answer(
                verdict: .refused, status: nil, error: Self.reason(for: error.kind),
                isForbidden: error.kind == .forbidden)
        }
    }

    private static func answer(to reply: HTTPClient.Reply, now: Timestamp) -> Answer {
        let status = Int(reply.status.code)
        switch status {
        case 200..<300: return Answer(verdict: .taken, status: status, error: nil)
        case 410: return Answer(verdict: .gone, status: status, error: "The receiver answered 410.")
        // A redirect is not followed: it could lead anywhere.
        default:
            return Answer(
                verdict: .refused, status: status, error: "The receiver answered \(status).",
                retryAfter: reply.retryAfter(now: now))
        }
    }

    private static func reason(for kind: HTTPClient.Failure.Kind) -> String {
        switch kind {
        case .forbidden: "The address of the receiver is not public, or its port is not allowed."
        case .unreachable: "The receiver cannot be reached."
        case .untrusted: "The certificate of the receiver is not trusted."
        case .deadlineExceeded: "The receiver did not answer in time."
        case .replyTooLarge: "The reply of the receiver is too large."
        default: "The receiver gave no valid reply."
        }
    }
}

extension WebhookSigner {
    /// A signed call to a receiver.
    ///
    /// - Parameter id: the name of the call, the same for all attempts.
    func request(
        to url: String, _ body: [UInt8], id: String, by seeds: WebhookSeeds, now: Timestamp
    ) -> HTTPClient.Request {
        var request = HTTPClient.Request(.post, url, body: body)
        request.headers.append(.contentType, "application/json")
        request.headers.append("webhook-id", id)
        request.headers.append("webhook-timestamp", String(now.seconds))
        request.headers.append(
            "webhook-signature", signature(of: body, id: id, time: now.seconds, by: seeds, now: now))
        return request
    }
}
