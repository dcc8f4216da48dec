extension HTTPClient {
    /// Why a request has no reply.
    public struct Failure: Error, Hashable, CustomStringConvertible {
        public enum Kind: Hashable, Sendable {
            /// The URL, a header or the method cannot be sent.
            case invalidRequest
            /// The limit of running requests is reached; nothing was sent.
            case overloaded
            /// The host does not exist, does not listen, or did not accept a connection within the connect time-out.
            case unreachable
            /// The host has only addresses to which the client may not connect.
            case forbidden
            /// The server's certificate is not trusted, or TLS failed.
            case untrusted
            /// The connection ended, or its framing broke, before the reply was complete.
            case connectionLost
            /// The server does not speak HTTP, or violates it.
            case malformedReply
            /// The reply's head or body is larger than allowed.
            case replyTooLarge
            /// There were more redirects than allowed, or one to another protocol.
            case redirected
            /// The deadline passed.
            case deadlineExceeded
            /// The task was cancelled.
            case cancelled
            /// The client was closed.
            case closed
        }

        public let kind: Kind
        /// libcurl's message, for the log.
        public let detail: String
        /// Whether the server may have acted on the request, because at least a part of it was sent.
        public let mayHaveBeenProcessed: Bool

        public var description: String { detail.isEmpty ? "\(kind)" : "\(kind): \(detail)" }
    }
}
