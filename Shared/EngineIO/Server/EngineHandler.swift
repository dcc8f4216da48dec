public import WebSocket

/// What an application does with an Engine.IO session. All calls come on the session's loop.
public protocol EngineHandler: AnyObject {
    func received(_ message: Message, on socket: EngineSocket)
    /// The last call: nothing more can come or go.
    func ended(_ ending: EngineEnding, on socket: EngineSocket)
    /// A heartbeat has gone out, or come back.
    func heartbeat(_ sign: EngineHeartbeat, on socket: EngineSocket)
    /// The client has taken all that waited for it.
    func drained(_ socket: EngineSocket)
}

extension EngineHandler {
    public func heartbeat(_ sign: EngineHeartbeat, on socket: EngineSocket) {}
    public func drained(_ socket: EngineSocket) {}
}

/// What heartbeats tell of what was sent: when one is answered, all that was sent before it has arrived.
public enum EngineHeartbeat: Sendable, Equatable {
    /// Goes out behind everything that was sent before.
    case sent
    /// The client has read the last one that was sent.
    case answered
}
