/// A heartbeat event. An answered heartbeat proves that everything sent before it has arrived.
public enum EngineHeartbeat: Sendable, Equatable {
    /// A heartbeat was sent, after everything that was sent before.
    case sent
    /// The client has read the last heartbeat.
    case answered
}
