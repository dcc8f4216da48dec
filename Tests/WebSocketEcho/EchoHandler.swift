import WebSocket

/// Sends every message back, and reads no more while the peer does not read.
final class EchoHandler: WebSocketHandler {
    func received(_ message: Message, on connection: WebSocketConnection) { connection.send(message) }

    func congested(_ connection: WebSocketConnection) { connection.pauseReading() }

    func drained(_ connection: WebSocketConnection) { connection.resumeReading() }

    func ended(_ ending: Ending, on connection: WebSocketConnection) {}
}
