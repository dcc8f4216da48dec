/// How a server behaves, with the defaults of each value.
public struct ServerConfiguration: Sendable {
    /// What requests may be.
    public var limits = RequestLimits()
    /// Bytes of a body that no handler may exceed, 64 MiB; handlers set their own limits below it.
    public var largestBody = 64 * 1024 * 1024
    /// How long a head may take, from its first byte or from the opening of the connection: 10 s.
    public var headTimeout = Duration.seconds(10)
    /// How long a connection may be idle between requests: 75 s.
    public var idleTimeout = Duration.seconds(75)
    /// How long a body may take before its rate counts: 15 s.
    public var bodyGrace = Duration.seconds(15)
    /// Bytes a second that prolong a body's time: 4 KiB.
    public var bodyRate = 4 * 1024
    /// How long a peer may take no byte of a reply: 30 s.
    public var writeTimeout = Duration.seconds(30)
    /// How long a refused request's remains are read past, so that the reply arrives: 5 s.
    public var lingerTimeout = Duration.seconds(5)
    /// Connections open at once, over all loops: 20,000.
    public var connections = 20_000
    /// The reply where the server answers by itself; the default has the status and no body.
    public var refuse: @Sendable (Refusal) -> Response = { Response($0.status) }

    /// The defaults.
    public init() {}
}
