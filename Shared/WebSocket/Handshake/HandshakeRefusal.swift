/// The HTTP reply to a request that cannot become a WebSocket.
public struct HandshakeRefusal: Error, Equatable {
    /// 400, or 426 if the client asked for another protocol version.
    public let status: Int
    /// The reason, for logs and the body.
    public let reason: String

    static func malformed(_ reason: String) -> HandshakeRefusal { HandshakeRefusal(status: 400, reason: reason) }

    /// The headers that the reply must have.
    public var headers: [(name: String, value: String)] {
        status == 426 ? [("Sec-WebSocket-Version", "13"), ("Upgrade", "websocket")] : []
    }
}
