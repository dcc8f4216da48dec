internal import EventLoop
internal import WebSocket

extension EngineSocket {
    /// The memory that sending a shared packet reads behind this object.
    struct ConnectionHint {
        let webSocket, stream: MemoryHint

        init(_ connection: WebSocketConnection) {
            webSocket = MemoryHint(connection)
            stream = MemoryHint(connection.socket)
        }
    }
}
