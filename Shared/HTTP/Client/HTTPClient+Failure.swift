extension HTTPClient {
    /// Why there is no reply.
    public struct Failure: Error, Hashable, CustomStringConvertible {
        public enum Kind: Hashable, Sendable {
            /// The URL, a header or the method cannot be sent.
            case invalidRequest
            /// As many requests are under way as the client allows; nothing was sent.
            case overloaded
            /// No such host, nobody listens there, or no connection within the connect time-out.
            case unreachable
            /// The server's certificate is not to be trusted, or TLS failed.
            case untrusted
            /// The connection ended, or broke its framing, before the reply was whole.
            case connectionLost
            /// The server does not speak HTTP, or speaks it wrongly.
            case malformedReply
            /// The reply's head or body is larger than allowed.
            case replyTooLarge
            /// More redirects than allowed, or one to another protocol.
            case redirected
            /// The deadline passed.
            case deadlineExceeded
            /// The task was cancelled.
            case cancelled
            /// The client was closed.
            case closed
        }

        public let kind: Kind
        /// For the log; what libcurl says.
        public let detail: String
        /// Whether the server may have acted on the request: it was, at least in part, sent.
        public let mayHaveBeenProcessed: Bool

        public var description: String { detail.isEmpty ? "\(kind)" : "\(kind): \(detail)" }
    }
}
