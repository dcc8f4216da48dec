/// What of an HTTP request decides whether it may become a WebSocket. A field may have come several times.
public struct HandshakeRequest: Sendable {
    public var method: String
    public var host: [String]
    public var connection: [String]
    public var upgrade: [String]
    public var keys: [String]
    public var versions: [String]
    public var extensions: [String]
    public var protocols: [String]

    /// `field` gives all values of the header with that name, whatever its case.
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
