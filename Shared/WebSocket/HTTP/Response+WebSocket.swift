public import EventLoop
public import HTTP

extension Response {
    /// Opens a WebSocket on the request's connection.
    ///
    /// - Parameters:
    ///   - pool: the zlib contexts of the loop that the request came on; needed where the handshake agreed on compression.
    ///   - open: called on the loop before anything is read; makes the connection's handler.
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
