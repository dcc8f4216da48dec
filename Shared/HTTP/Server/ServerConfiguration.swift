/// The limits and time-outs of a server, with their defaults.
public struct ServerConfiguration: Sendable {
    /// The limits of request heads.
    public var limits = RequestLimits()
    /// The largest body in bytes, 64 MiB; handlers set smaller limits of their own.
    public var largestBody = 64 * 1024 * 1024
    /// The time limit of a head, from its first byte or from the opening of the connection: 10 s.
    public var headTimeout = Duration.seconds(10)
    /// How long a connection may be idle between requests: 75 s.
    public var idleTimeout = Duration.seconds(75)
    /// The time that a body may take regardless of its rate: 15 s.
    public var bodyGrace = Duration.seconds(15)
    /// The rate in bytes a second that a body must keep after the grace period: 4 KiB.
    public var bodyRate = 4 * 1024
    /// How long a client may go without taking a byte of a reply: 30 s.
    public var writeTimeout = Duration.seconds(30)
    /// How long the rest of a refused request is discarded, so that the reply arrives: 5 s.
    public var lingerTimeout = Duration.seconds(5)
    /// Open connections over all loops, those of upgraded protocols included: 20,000.
    public var connections = 20_000
    /// Makes the reply to a request that the server refuses; by default the status without a body.
    public var refuse: @Sendable (Refusal) -> Response = { Response($0.status) }

    /// Called on a loop for each connection that is refused; by default nothing happens.
    public var refusedConnection: @Sendable (ConnectionRefusal) -> Void = { _ in }

    /// The defaults.
    public init() {}
}
