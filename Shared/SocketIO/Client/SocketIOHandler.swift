public import EngineIO

/// What an application does with a client of Socket.IO. All calls come on the client's loop.
public protocol SocketIOHandler: AnyObject {
    /// The client asks for a namespace: `accept` or `refuse` it, now or later on this loop.
    func join(_ namespace: String, _ authentication: SocketIOAuthentication, from client: SocketIOClient)
    /// The client has left a namespace, or does not wait for it any more.
    func left(_ namespace: String, from client: SocketIOClient)
    func received(_ event: SocketIOEvent, in namespace: String, from client: SocketIOClient)
    /// The client has acknowledged an event that was sent with an id.
    func acknowledged(_ answer: SocketIOAcknowledgement, in namespace: String, from client: SocketIOClient)
    /// A heartbeat of the connection has gone out, or come back.
    func heartbeat(_ sign: EngineHeartbeat, from client: SocketIOClient)
    /// The client has taken all that waited for it.
    func drained(_ client: SocketIOClient)
    /// The last call: the client is out of all namespaces.
    func ended(_ ending: EngineEnding, from client: SocketIOClient)
}

extension SocketIOHandler {
    public func left(_ namespace: String, from client: SocketIOClient) {}
    public func heartbeat(_ sign: EngineHeartbeat, from client: SocketIOClient) {}
    public func drained(_ client: SocketIOClient) {}
    public func received(_ event: SocketIOEvent, in namespace: String, from client: SocketIOClient) {}
    public func acknowledged(
        _ answer: SocketIOAcknowledgement, in namespace: String, from client: SocketIOClient
    ) {}
}
