/// Whether there is a connection; observers get each change.
public enum RedisState: Sendable, Equatable {
    /// No connection has been opened yet.
    case connecting
    /// The `generation`-th connection is up. Data that was received through an earlier one may be out of date.
    case connected(generation: Int)
    /// The connection was lost, or an attempt to open one failed; attempts continue.
    case lost(RedisError)
    /// The client was closed for good.
    case closed

    /// Whether commands can be sent.
    public var isConnected: Bool {
        if case .connected = self { true } else { false }
    }
}
