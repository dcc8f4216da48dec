extension HTTPClient {
    /// The reply of a server.
    public struct Reply: Sendable {
        public let status: Status
        public let headers: Headers
        public let body: [UInt8]
        /// Whether the reply came over HTTP/2.
        public let isHTTP2: Bool

        public init(status: Status, headers: Headers = Headers(), body: [UInt8] = [], isHTTP2: Bool = false) {
            self.status = status
            self.headers = headers
            self.body = body
            self.isHTTP2 = isHTTP2
        }
    }
}
