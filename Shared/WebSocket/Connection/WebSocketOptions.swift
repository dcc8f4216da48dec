/// The limits and times of a WebSocket.
public struct WebSocketOptions: Sendable {
    /// How much the peer may send at once. Default 1 MiB a message.
    public var limits = SizeLimits()
    /// Bytes that may wait for a slow reader before it is cut off with 1013; at least the largest message sent.
    /// Default 1 MiB.
    public var outputLimit = 1 << 20
    /// How long the peer may take to answer a close frame, or to end the connection after it. Default 5 s.
    public var closeTimeout = Duration.seconds(5)
    /// After so long a silence the peer is pinged, after as long again it is taken for lost; nil never asks. Default nil.
    public var keepAlive: Duration?

    /// The defaults.
    public init() {}
}
