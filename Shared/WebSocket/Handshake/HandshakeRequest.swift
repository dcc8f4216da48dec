/// The parts of an HTTP request that the handshake depends on. A field may occur several times.
public struct HandshakeRequest: Sendable {
    public var method: String
    public var host: [String]
    public var connection: [String]
    public var upgrade: [String]
    public var keys: [String]
    public var versions: [String]
    public var extensions: [String]
    public var protocols: [String]

    /// `field` returns all values of the header with that name, in any case.
    public init(method: String, field: (String) -> [String]) {
        self.method = method
        host = field("Host")
        connection = field("Connection")
        upgrade = field("Upgrade")
        keys = field("Sec-WebSocket-Key")
        versions = field("Sec-WebSocket-Version")
        extensions = field("Sec-WebSocket-Extensions")
        protocols = field("Sec-WebSocket-Protocol")
    }
}
