internal import Wire

/// A client's half of the handshake: the request it sends and its check of the reply.
public struct ClientHandshake: Sendable {
    /// Why a reply does not open the WebSocket.
    public struct Refused: Error {
        /// The HTTP status, or nil for what is no HTTP reply.
        public let status: Int?
        public let reason: String
    }

    /// The head of the request, ready to send.
    public let request: [UInt8]
    private let acceptKey: String
    private let policy: DeflatePolicy?

    /// `target` is path and query; `headers` come besides those of the protocol.
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

    /// Checks the head of a reply, up to and without its empty line; returns what was agreed for permessage-deflate.
    public func accept(head: [UInt8]) throws(Refused) -> DeflateParameters? {
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1.1"), let status = Int(words[1]) else {
            throw Refused(status: nil, reason: "not HTTP")
        }
        guard status == 101 else { throw Refused(status: status, reason: "status \(status)") }
        let fields = lines.dropFirst().compactMap(Self.field)
        func value(_ name: String) -> String {
            fields.filter { $0.name == name }.map(\.value).joined(separator: ",")
        }
        guard value("sec-websocket-accept") == acceptKey, value("upgrade").lowercased() == "websocket" else {
            throw Refused(status: status, reason: "another handshake's answer")
        }
        guard let answers = HandshakeExtension.parse(value("sec-websocket-extensions")), answers.count <= 1 else {
            throw Refused(status: status, reason: "malformed extensions")
        }
        guard let answer = answers.first else { return nil }
        guard let parameters = policy?.accept(answer) else {
            throw Refused(status: status, reason: "an extension that was not offered")
        }
        return parameters
    }

    private static func field(_ line: Substring) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        return (line[..<colon].lowercased(), String(value))
    }
}
