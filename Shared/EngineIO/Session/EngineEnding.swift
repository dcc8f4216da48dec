/// Why an Engine.IO session has ended.
public enum EngineEnding: String, Sendable {
    /// The application closed it.
    case closedHere = "closed here"
    /// The client said so.
    case closedByClient = "closed by client"
    /// The client gave no sign of life.
    case pingTimeout = "ping timeout"
    /// The client sent what is no packet.
    case parseError = "parse error"
    /// The client broke the protocol, or its connection did.
    case transportError = "transport error"
    /// Its WebSocket has gone.
    case transportClosed = "transport closed"
    /// More waited than the limit: the client reads too slowly.
    case slowReader = "slow reader"
}
