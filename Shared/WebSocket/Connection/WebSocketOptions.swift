/// The limits and time-outs of a WebSocket.
public struct WebSocketOptions: Sendable {
    /// The largest messages that the peer may send. Default 1 MiB.
    public var limits = SizeLimits()
    /// How much the peer may send in a time; nil for no limit. With rates, compressed messages that have not been inflated
    /// when the peer ends its side are dropped. Default nil.
    public var rates: ReceiveRates?
    /// Bytes that may be queued for a slow reader before it is disconnected with 1013; not less than the largest message
    /// sent. Default 1 MiB.
    public var outputLimit = 1 << 20
    /// How long the peer may take to answer a close frame, or to close the connection after it. Default 5 s.
    public var closeTimeout = Duration.seconds(5)
    /// A silent peer is pinged after this time, and considered lost after the same time again; nil sends no pings.
    /// Default nil.
    public var keepAlive: Duration?

    /// The defaults.
    public init() {}
}
