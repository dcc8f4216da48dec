import EventLoop
import HTTP
import Wire

extension NodeRelay {
    private static let asked = [
        "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions", "Sec-WebSocket-Protocol", "Origin",
    ]
    private static let agreed = ["Sec-WebSocket-Accept", "Sec-WebSocket-Extensions", "Sec-WebSocket-Protocol"]

    /// Opens the WebSocket at its owner and passes bytes in both directions; nil if the owner refuses.
    func tunnel(_ request: Request, to address: String) async -> Response? {
        // The two ends of a tunnel are on one loop.
        let loop = loops.current
        guard let colon = address.lastIndex(of: ":"),
            let port = UInt16(address[address.index(after: colon)...]),
            let place = try? await Resolver.resolve(String(address[..<colon]), port: port, on: pool).first,
            let owner = try? await StreamSocket.connect(to: place, timeout: tunnelTimeout, on: loop)
        else { return nil }
        let opening = TunnelOpening(timeout: tunnelTimeout, on: owner)
        owner.start(opening)
        owner.write(handshake(request, host: address))
        guard let reply = await opening.head(), reply.status == .switchingProtocols else {
            owner.close()
            return nil
        }
        var headers = Headers()
        for name in Self.agreed {
            if let field = HeaderName(name), let value = reply.headers[field] {
                headers.append(field, value)
            }
        }
        let tunnel = OpenTunnel(to: owner)
        return .upgrade(to: "websocket", headers: headers) { tunnel.begin(from: $0) }
    }

    private func handshake(_ request: Request, host: String) -> [UInt8] {
        var lines = [
            "GET \(Self.target(of: request)) HTTP/1.1", "Host: \(host)", "Authorization: Bearer \(credential)",
            "Upgrade: websocket", "Connection: Upgrade",
        ]
        for name in Self.asked {
            if let field = HeaderName(name), let value = request.headers.text(field) {
                lines.append("\(name): \(value)")
            }
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
