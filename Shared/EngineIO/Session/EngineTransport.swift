/// How packets are transported.
public enum EngineTransport: String, Sendable {
    case polling
    case webSocket = "websocket"
}
