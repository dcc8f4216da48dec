public import WebSocket

/// The time-outs and limits of an Engine.IO server.
public struct EngineSettings: Sendable {
    /// The time between heartbeats. Default 25 s.
    public var pingInterval = Duration.seconds(25)
    /// How long the client may take to answer a heartbeat. Default 20 s.
    public var pingTimeout = Duration.seconds(20)
    /// How long an upgrade may take. Default 10 s.
    public var upgradeTimeout = Duration.seconds(10)
    /// How long a closing session waits for a poll that can report the end. Default 30 s.
    public var closeTimeout = Duration.seconds(30)
    /// The largest message or body from a client, in bytes. Default 1,000,000.
    public var maximumPayload = 1_000_000
    /// How much a client may send in a time, where a posted packet counts as a frame; nil for no limit. Default nil.
    public var rates: ReceiveRates?
    /// Bytes that may be queued for a client before its session is ended. Default 1 MiB.
    public var outputLimit = 1 << 20
    /// Open sessions on each loop; further handshakes get 503. Default 50,000.
    public var sessionsPerLoop = 50_000
    /// permessage-deflate on WebSockets; nil declines it.
    public var deflate: DeflatePolicy? = DeflatePolicy()

    /// The defaults.
    public init() {}
}
