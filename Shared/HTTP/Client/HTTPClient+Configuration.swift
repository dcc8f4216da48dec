extension HTTPClient {
    /// The limits of a client. Numbers apply to each loop.
    public struct Configuration: Sendable {
        /// Running requests; further requests are refused.
        public var maximumTransfers = 512
        /// Connections to one host and port; a request without one waits, within its deadline.
        public var maximumConnectionsPerHost = 8
        /// Connections in use to all hosts.
        public var maximumConnections = 64
        /// Idle connections that are kept.
        public var maximumIdleConnections = 16
        /// How long an idle connection is reused; shorter than the idle time-out of servers, which is often a minute.
        public var idleConnectionAge = Duration.seconds(50)
        /// The time-out for name lookup, connection and TLS handshake together.
        public var connectTimeout = Duration.seconds(3)
        /// How long the addresses of a name are remembered: short, because instances come and go.
        public var addressAge = Duration.seconds(3)
        /// A PEM file of trusted certificate authorities; nil for the system's.
        public var authorities: String?
        /// A proxy for all requests, such as `http://proxy:3128`; nil for none. The environment is not read.
        public var proxy: String?
        /// The addresses to which the client may connect; nil for all.
        public var peers: PeerRule?
        /// The User-Agent of the client.
        public var userAgent = "maru"

        /// The defaults.
        public init() {}
    }
}
