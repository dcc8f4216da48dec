public import EngineIO

/// The application's side of a Socket.IO client. All calls are made on the client's loop.
public protocol SocketIOHandler: AnyObject {
    /// The client asks for a namespace: call `accept` or `refuse`, now or later on this loop.
    func join(_ namespace: String, _ authentication: SocketIOAuthentication, from client: SocketIOClient)
    /// The client has left a namespace, or has withdrawn its request for it.
    func left(_ namespace: String, from client: SocketIOClient)
    func received(_ event: SocketIOEvent, in namespace: String, from client: SocketIOClient)
    /// The client has acknowledged an event that was sent with an id.
    func acknowledged(_ answer: SocketIOAcknowledgement, in namespace: String, from client: SocketIOClient)
    /// A heartbeat of the connection was sent, or its answer has arrived.
    func heartbeat(_ sign: EngineHeartbeat, from client: SocketIOClient)
    /// The client reads slowly: bytes wait for it. `drained` or `ended` follows. Polling clients are not reported.
    func congested(_ client: SocketIOClient)
    /// The client has taken everything that was queued for it.
    func drained(_ client: SocketIOClient)
    /// The connection has ended and the client is in no namespace; this is the last call.
    func ended(_ ending: EngineEnding, from client: SocketIOClient)
}

extension SocketIOHandler {
    public func left(_ namespace: String, from client: SocketIOClient) {}
    public func heartbeat(_ sign: EngineHeartbeat, from client: SocketIOClient) {}
    public func congested(_ client: SocketIOClient) {}
    public func drained(_ client: SocketIOClient) {}
    public func received(_ event: SocketIOEvent, in namespace: String, from client: SocketIOClient) {}
    public func acknowledged(
        _ answer: SocketIOAcknowledgement, in namespace: String, from client: SocketIOClient
    ) {}
}
