/// The address of one server of a cluster.
struct ClusterNode: Hashable, Sendable, Comparable, CustomStringConvertible {
    let host: String
    let port: UInt16

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses `host:port`. Without a host it is that of `other`, which named the address; nil for any other text.
    init?(_ text: Substring, namedBy other: ClusterNode) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        let host = text[..<colon]
        self.init(host: host.isEmpty || host == "?" ? other.host : String(host), port: port)
    }

    var server: RedisConfiguration.Server { .host(host, port: port) }

    var description: String { "\(host):\(port)" }

    static func < (left: Self, right: Self) -> Bool { (left.host, left.port) < (right.host, right.port) }
}
