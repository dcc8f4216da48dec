internal import EventLoop
internal import WebSocket

extension EngineSocket {
    /// The memory beyond this object that sending a shared packet reads.
    struct ConnectionHint {
        let webSocket, stream: MemoryHint

        init(_ connection: WebSocketConnection) {
            webSocket = MemoryHint(connection)
            stream = MemoryHint(connection.socket)
        }
    }
}
