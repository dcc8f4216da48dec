/// Why an Engine.IO session ended.
public enum EngineEnding: String, Sendable {
    /// The application closed it.
    case closedHere = "closed here"
    /// The client closed it.
    case closedByClient = "closed by client"
    /// The client did not answer a heartbeat in time.
    case pingTimeout = "ping timeout"
    /// The client sent a malformed packet.
    case parseError = "parse error"
    /// The client violated the protocol, or its transport failed.
    case transportError = "transport error"
    /// Its WebSocket closed.
    case transportClosed = "transport closed"
    /// More bytes were queued than the limit: the client reads too slowly.
    case slowReader = "slow reader"
    /// The client sent more than its rates allow.
    case overRate = "over rate"
}
