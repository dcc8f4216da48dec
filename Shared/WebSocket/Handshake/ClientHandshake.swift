internal import HTTP
internal import Wire

/// A client's side of the handshake: makes the request and checks the reply.
public struct ClientHandshake: Sendable {
    /// Why a reply does not open the WebSocket.
    public struct Refused: Error {
        /// The HTTP status; nil if the bytes are not an HTTP reply.
        public let status: Int?
        public let reason: String
    }

    /// The head of the request, ready to send.
    public let request: [UInt8]
    private let acceptKey: String
    private let policy: DeflatePolicy?

    /// `target` is path and query; `headers` are sent besides those of the protocol.
    public init(
        host: String, target: String, headers: [(name: String, value: String)] = [],
        deflate policy: DeflatePolicy? = nil
    ) {
        var random = SystemRandomNumberGenerator()
        let nonce = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
        let key = Base64.encode(nonce.span, .standard)
        acceptKey = AcceptKey.answer(to: key)
        self.policy = policy
        var lines = [
            "GET \(target) HTTP/1.1", "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
        ]
        if let policy { lines.append("Sec-WebSocket-Extensions: \(policy.offer.header)") }
        lines += headers.map { "\($0.name): \($0.value)" }
        request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// Checks the head of a reply, with or without its empty line.
    ///
    /// - Returns: the negotiated parameters of permessage-deflate.
    public func accept(head: [UInt8]) throws(Refused) -> DeflateParameters? {
        let status: Int
        let headers: Headers
        do throws(Refusal) {
            var whole = head
            while whole.last == 0x0A || whole.last == 0x0D { whole.removeLast() }
            whole += "\r\n\r\n".utf8
            guard let reply = try ReplyParser.parse(whole.span.bytes) else { throw .malformed }
            status = Int(reply.status.code)
            headers = reply.headers
        } catch {
            throw Refused(status: nil, reason: "not HTTP")
        }
        guard status == 101 else { throw Refused(status: status, reason: "status \(status)") }
        func value(_ name: HeaderName) -> String { headers.all(name).joined(separator: ",") }
        guard value("Sec-WebSocket-Accept") == acceptKey, value(.upgrade).lowercased() == "websocket" else {
            throw Refused(status: status, reason: "the reply answers another handshake")
        }
        guard let answers = HandshakeExtension.parse(value("Sec-WebSocket-Extensions")), answers.count <= 1 else {
            throw Refused(status: status, reason: "malformed extensions")
        }
        guard let answer = answers.first else { return nil }
        guard let parameters = policy?.accept(answer) else {
            throw Refused(status: status, reason: "an extension that was not offered")
        }
        return parameters
    }
}
