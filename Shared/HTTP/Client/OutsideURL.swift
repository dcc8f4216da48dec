/// An absolute URL of a server that a stranger names: `http` or `https`, without a user and without a fragment.
///
/// The address of its host is not known before the connection: see `PeerRule`.
public struct OutsideURL: Sendable, Hashable {
    /// The whole URL, in ASCII.
    public let text: String
    /// A name or a numeric address, without brackets.
    public let host: String
    public let port: UInt16

    /// Bytes.
    private static let longest = 2000

    /// Nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.longest, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            !text.utf8.contains(where: { #"#\"<>^`{|}"#.utf8.contains($0) }), let colon = text.firstRange(of: "://")
        else { return nil }
        let standard: UInt16
        switch text[..<colon.lowerBound].lowercased() {
        case "http": standard = 80
        case "https": standard = 443
        default: return nil
        }
        let rest = text[colon.upperBound...]
        guard let (host, port) = Self.authority(rest[..<(rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex)])
        else { return nil }
        self.text = text
        self.host = host
        self.port = port ?? standard
    }

    /// Reads a host and a port, if there is one.
    private static func authority(_ text: Substring) -> (host: String, port: UInt16?)? {
        let host: Substring
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            guard IPAddress(String(host))?.bytes.count == 16 else { return nil }
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            if !rest.isEmpty { port = rest.dropFirst() }
        } else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            host = parts[0]
            port = parts.count > 1 ? parts[1] : nil
            guard (1...253).contains(host.utf8.count), host.utf8.allSatisfy(isOfName) else { return nil }
        }
        guard let port else { return (String(host), nil) }
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port), number > 0 else {
            return nil
        }
        return (String(host), number)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
