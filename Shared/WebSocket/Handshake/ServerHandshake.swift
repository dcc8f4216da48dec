/// A server's consent to a WebSocket: the headers of its 101 and what was negotiated.
public struct ServerHandshake: Sendable {
    /// What was agreed for permessage-deflate; nil where messages go as they are.
    public let deflate: DeflateParameters?
    /// The one of the client's subprotocols that was chosen.
    public let subprotocol: String?
    private let acceptKey: String
    private let extensionHeader: String?

    /// Checks a request by RFC 6455 §4.2.1.
    ///
    /// - Parameters:
    ///   - deflate: nil declines compression.
    ///   - protocols: those that the server speaks; the first that the client names is chosen, and none is no refusal.
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
        guard let offered = HeaderScanner.tokens(request.protocols.joined(separator: ",")) else {
            throw .malformed("Sec-WebSocket-Protocol is malformed")
        }
        subprotocol = offered.first(where: protocols.contains)
    }

    /// What the head of the 101 says besides `Upgrade` and `Connection`.
    public var headers: [(name: String, value: String)] {
        var headers = [("Sec-WebSocket-Accept", acceptKey)]
        if let extensionHeader { headers.append(("Sec-WebSocket-Extensions", extensionHeader)) }
        if let subprotocol { headers.append(("Sec-WebSocket-Protocol", subprotocol)) }
        return headers.map { (name: $0.0, value: $0.1) }
    }

    private static func names(_ token: String, in values: [String]) -> Bool {
        HeaderScanner.tokens(values.joined(separator: ","))?.contains { $0.lowercased() == token } ?? false
    }
}
