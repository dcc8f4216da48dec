public import WebSocket

/// The times and limits of an Engine.IO server.
public struct EngineSettings: Sendable {
    /// How long after a sign of life the client is asked for the next. Default 25 s.
    public var pingInterval = Duration.seconds(25)
    /// How long the client may take to answer. Default 20 s.
    public var pingTimeout = Duration.seconds(20)
    /// How long an upgrade may take. Default 10 s.
    public var upgradeTimeout = Duration.seconds(10)
    /// How long a closing session waits for a poll that can be told so. Default 30 s.
    public var closeTimeout = Duration.seconds(30)
    /// Bytes that a client may send in one message or one body. Default 1,000,000.
    public var maximumPayload = 1_000_000
    /// Bytes that may wait for a client before its session is ended. Default 1 MiB.
    public var outputLimit = 1 << 20
    /// Sessions at once on each loop; the next handshake gets 503. Default 50,000.
    public var sessionsPerLoop = 50_000
    /// permessage-deflate on WebSockets; nil declines it.
    public var deflate: DeflatePolicy? = DeflatePolicy()

    /// The defaults.
    public init() {}
}
