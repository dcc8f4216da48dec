import WebSocket

/// The bytes of a WebSocket client's requests and frames.
enum ClientRequest {
    static func bytes(_ target: String) -> [UInt8] { ClientHandshake(host: "x", target: target).request }

    static var closeFrame: [UInt8] {
        var client = WebSocketMachine(role: .client, limits: SizeLimits())
        return client.close() ?? []
    }

    static func frame(_ text: String) -> [UInt8] {
        var client = WebSocketMachine(role: .client, limits: SizeLimits())
        return client.frame(of: .text(text)) ?? []
    }
}
