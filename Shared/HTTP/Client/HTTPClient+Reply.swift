extension HTTPClient {
    /// What a server replied.
    public struct Reply: Sendable {
        public let status: Status
        public let headers: Headers
        public let body: [UInt8]
        /// Whether it came over HTTP/2.
        public let isHTTP2: Bool
    }
}
