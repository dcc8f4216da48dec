internal import EventLoop
internal import WebSocket

/// Counts the bytes of a session that have left by its WebSocket.
struct WebSocketBytes {
    /// Bytes from before the session moved to the WebSocket, such as the answer to the probe.
    private var before: UInt64 = 0
    /// The count when the WebSocket ended.
    private var last: UInt64 = 0

    /// The session moves to a WebSocket. Bytes that it has sent or queued so far do not count.
    mutating func begin(with connection: WebSocketConnection) {
        before = connection.socket.sentBytes + UInt64(connection.queuedBytes)
    }

    /// The WebSocket has ended.
    mutating func end(with connection: WebSocketConnection) { last = sent(by: connection) }

    /// The count; that of the last WebSocket if there is none any more.
    func sent(by connection: WebSocketConnection?) -> UInt64 {
        guard let connection else { return last }
        return max(connection.socket.sentBytes, before) - before
    }
}
