import EngineIO
import WebSocket

/// Sends every message back.
final class EngineEcho: EngineHandler {
    func received(_ message: Message, on socket: EngineSocket) { socket.send(message) }

    func ended(_ ending: EngineEnding, on socket: EngineSocket) {}
}
