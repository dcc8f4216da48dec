/// Why a request does not become a WebSocket, as an HTTP reply.
public struct HandshakeRefusal: Error, Equatable {
    /// 400, or 426 where another protocol version was asked for.
    public let status: Int
    /// For logs and the body.
    public let reason: String

    static func malformed(_ reason: String) -> HandshakeRefusal { HandshakeRefusal(status: 400, reason: reason) }

    /// What the reply has to say in its head besides.
    public var headers: [(name: String, value: String)] {
        status == 426 ? [("Sec-WebSocket-Version", "13"), ("Upgrade", "websocket")] : []
    }
}
