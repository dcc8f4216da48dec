/// Whether there is a connection; told to observers as it changes.
public enum RedisState: Sendable, Equatable {
    /// None has been made yet.
    case connecting
    /// The `generation`-th connection is up. What was known through an earlier one may be out of date.
    case connected(generation: Int)
    /// The connection was lost, or an attempt to make one failed; attempts go on.
    case lost(RedisError)
    /// Closed here, for good.
    case closed

    /// Whether commands can be sent.
    public var isConnected: Bool {
        if case .connected = self { true } else { false }
    }
}
