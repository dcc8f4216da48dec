/// What an application does with a WebSocket. All calls come on the connection's loop.
public protocol WebSocketHandler: AnyObject {
    func received(_ message: Message, on connection: WebSocketConnection)
    /// The peer has answered a `ping`.
    func receivedPong(_ payload: [UInt8], on connection: WebSocketConnection)
    /// The kernel takes no more for now: the peer is slow. `drained` follows, or the end.
    func congested(_ connection: WebSocketConnection)
    /// All that had to wait for the kernel has left.
    func drained(_ connection: WebSocketConnection)
    /// The last call: nothing more can come or go.
    func ended(_ ending: Ending, on connection: WebSocketConnection)
}

extension WebSocketHandler {
    public func receivedPong(_ payload: [UInt8], on connection: WebSocketConnection) {}
    public func congested(_ connection: WebSocketConnection) {}
    public func drained(_ connection: WebSocketConnection) {}
}
