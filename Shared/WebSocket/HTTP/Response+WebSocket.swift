public import EventLoop
public import HTTP

extension Response {
    /// Opens a WebSocket on the request's connection.
    ///
    /// - Parameters:
    ///   - pool: the zlib contexts of the request's loop; required if the handshake negotiated compression.
    ///   - open: makes the connection's handler; called on the loop before anything is read.
    public static func webSocket(
        _ handshake: ServerHandshake, options: WebSocketOptions = WebSocketOptions(),
        pool: LoopLocal<CompressionPool>? = nil,
        open: @escaping @Sendable (WebSocketConnection) -> any WebSocketHandler
    ) -> Response {
        .upgrade(to: "websocket", headers: handshake.fields) { socket in
            WebSocketConnection(
                socket, role: .server, options: options, deflate: handshake.deflate, pool: pool?.current, open: open)
        }
    }
}
