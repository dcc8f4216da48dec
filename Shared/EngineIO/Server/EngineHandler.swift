public import WebSocket

/// The application's side of an Engine.IO session. All calls are made on the session's loop.
public protocol EngineHandler: AnyObject {
    func received(_ message: Message, on socket: EngineSocket)
    /// The session has ended; this is the last call.
    func ended(_ ending: EngineEnding, on socket: EngineSocket)
    /// A heartbeat was sent, or its answer has arrived.
    func heartbeat(_ sign: EngineHeartbeat, on socket: EngineSocket)
    /// The client reads slowly: bytes wait for it. `drained` or `ended` follows. Polling clients are not reported.
    func congested(_ socket: EngineSocket)
    /// The client has taken everything that was queued for it.
    func drained(_ socket: EngineSocket)
}

extension EngineHandler {
    public func heartbeat(_ sign: EngineHeartbeat, on socket: EngineSocket) {}
    public func congested(_ socket: EngineSocket) {}
    public func drained(_ socket: EngineSocket) {}
}
