extension HTTPClient {
    /// A request to another server.
    public struct Request: Sendable {
        public var method: Method
        /// An absolute URL, `http` or `https`, percent-encoded.
        public var url: String
        public var headers: Headers
        public var body: [UInt8]
        /// The time-out of the whole exchange, from `send` to the end of the reply.
        public var deadline = Duration.seconds(10)
        /// The largest body of the reply, in bytes.
        public var maximumReplySize = 1 << 20
        /// Whether the request may be repeated without a further effect; only then is it retried. Set it for a server
        /// that recognises a repetition by a key: when a server retires an HTTP/2 connection, the client cannot tell
        /// whether a lost request was processed.
        public var isIdempotent: Bool
        /// Redirects that a GET or HEAD follows. Default 0.
        public var maximumRedirects = 0
        /// Signs the request with AWS signature version 4.
        public var signature: AWSSignature?

        /// Makes a request that is idempotent if its method is.
        public init(_ method: Method, _ url: String, headers: Headers = Headers(), body: [UInt8] = []) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
            isIdempotent = method != .post && method != .patch && method != .other
        }
    }
}
