/// The application's side of a WebSocket. All calls are made on the connection's loop.
public protocol WebSocketHandler: AnyObject {
    func received(_ message: Message, on connection: WebSocketConnection)
    /// The peer answered a `ping`.
    func receivedPong(_ payload: [UInt8], on connection: WebSocketConnection)
    /// The kernel takes no more bytes because the peer reads slowly. `drained` or `ended` follows.
    func congested(_ connection: WebSocketConnection)
    /// All queued bytes have left.
    func drained(_ connection: WebSocketConnection)
    /// The WebSocket has ended; this is the last call.
    func ended(_ ending: Ending, on connection: WebSocketConnection)
}

extension WebSocketHandler {
    public func receivedPong(_ payload: [UInt8], on connection: WebSocketConnection) {}
    public func congested(_ connection: WebSocketConnection) {}
    public func drained(_ connection: WebSocketConnection) {}
}
