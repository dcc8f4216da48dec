extension HTTPClient {
    /// A request to another server.
    public struct Request: Sendable {
        public var method: Method
        /// Absolute, `http` or `https`, percent-encoded.
        public var url: String
        public var headers: Headers
        public var body: [UInt8]
        /// Time for everything, from `send` to the end of the reply.
        public var deadline = Duration.seconds(10)
        /// Bytes of body that the reply may have.
        public var maximumReplySize = 1 << 20
        /// Whether doing it twice is as good as once; only then may it be sent again. Set it where the server knows a
        /// repetition by a key: a server that retires a connection of HTTP/2 refuses what came last, and whether a lost
        /// request was refused cannot be told.
        public var isIdempotent: Bool
        /// Redirects that a GET or HEAD follows; none unless asked for.
        public var maximumRedirects = 0
        /// Signs the request for a service that speaks AWS's signature version 4.
        public var signature: AWSSignature?

        /// A request that is idempotent if its method is.
        public init(_ method: Method, _ url: String, headers: Headers = Headers(), body: [UInt8] = []) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
            isIdempotent = method != .post && method != .patch && method != .other
        }
    }
}
