/// A server's side of the handshake: checks the request, negotiates, and makes the headers of the 101.
public struct ServerHandshake: Sendable {
    /// The negotiated parameters of permessage-deflate; nil if messages are not compressed.
    public let deflate: DeflateParameters?
    /// The chosen subprotocol of those that the client offered.
    public let subprotocol: String?
    private let acceptKey: String
    private let extensionHeader: String?

    /// Checks a request by RFC 6455 §4.2.1.
    ///
    /// - Parameters:
    ///   - deflate: nil declines compression.
    ///   - protocols: those that the server speaks. The first one that the client names is chosen; it may name none.
    public init(
        answering request: HandshakeRequest, deflate policy: DeflatePolicy? = nil, protocols: [String] = []
    ) throws(HandshakeRefusal) {
        guard request.method == "GET" else { throw .malformed("method is not GET") }
        guard request.host.count == 1 else { throw .malformed("one Host is needed") }
        guard Self.names("websocket", in: request.upgrade) else { throw .malformed("Upgrade is not websocket") }
        guard Self.names("upgrade", in: request.connection) else { throw .malformed("Connection is not Upgrade") }
        guard let version = request.versions.first, request.versions.count == 1 else {
            throw .malformed("one Sec-WebSocket-Version is needed")
        }
        guard version == "13" else { throw HandshakeRefusal(status: 426, reason: "WebSocket version is not 13") }
        guard let key = request.keys.first, request.keys.count == 1, AcceptKey.isValid(key) else {
            throw .malformed("one Sec-WebSocket-Key of 16 bytes is needed")
        }
        acceptKey = AcceptKey.answer(to: key)
        guard let offers = HandshakeExtension.parse(request.extensions.joined(separator: ",")) else {
            throw .malformed("Sec-WebSocket-Extensions is malformed")
        }
        let answer = policy?.answer(to: offers)
        deflate = answer?.parameters
        extensionHeader = answer?.header
        guard let offered = ListScanner.tokens(request.protocols.joined(separator: ",")) else {
            throw .malformed("Sec-WebSocket-Protocol is malformed")
        }
        subprotocol = offered.first(where: protocols.contains)
    }

    /// The headers of the 101 besides `Upgrade` and `Connection`.
    public var headers: [(name: String, value: String)] {
        var headers = [("Sec-WebSocket-Accept", acceptKey)]
        if let extensionHeader { headers.append(("Sec-WebSocket-Extensions", extensionHeader)) }
        if let subprotocol { headers.append(("Sec-WebSocket-Protocol", subprotocol)) }
        return headers.map { (name: $0.0, value: $0.1) }
    }

    private static func names(_ token: String, in values: [String]) -> Bool {
        ListScanner.tokens(values.joined(separator: ","))?.contains { $0.lowercased() == token } ?? false
    }
}
