extension HTTPClient {
    /// The limits of a client. Numbers count for each loop.
    public struct Configuration: Sendable {
        /// Requests under way; the next one is refused.
        public var maximumTransfers = 512
        /// Connections to one host and port; what finds none free waits for one, within its deadline.
        public var maximumConnectionsPerHost = 8
        /// Connections in use to all hosts.
        public var maximumConnections = 64
        /// Connections kept though nobody uses them.
        public var maximumIdleConnections = 16
        /// How long an unused connection is trusted; less than what servers keep one for, which is often a minute.
        public var idleConnectionAge = Duration.seconds(50)
        /// Time for name, connection and TLS handshake together.
        public var connectTimeout = Duration.seconds(3)
        /// A PEM file of the authorities that vouch for servers; the system's without.
        public var authorities: String?
        /// What all requests go through, such as `http://proxy:3128`. None without: the environment is not asked.
        public var proxy: String?
        /// What the client calls itself.
        public var userAgent = "maru"

        /// The defaults.
        public init() {}
    }
}
