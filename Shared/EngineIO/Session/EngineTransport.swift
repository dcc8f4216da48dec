/// How packets travel.
public enum EngineTransport: String, Sendable {
    case polling
    case webSocket = "websocket"
}
