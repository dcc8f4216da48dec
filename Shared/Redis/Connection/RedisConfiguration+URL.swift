internal import Wire

extension RedisConfiguration {
    /// Reads `redis://[user][:password]@host[:port][/database]`, percent-encoded, or `unix:///path[?db=number]`.
    public init?(url: String) {
        if url.hasPrefix("unix://") {
            self.init(unixURL: url.dropFirst("unix://".count))
            return
        }
        guard url.hasPrefix("redis://") else { return nil }
        var rest = url.dropFirst("redis://".count)
        var userInfo: Substring?
        if let at = rest.lastIndex(of: "@") {
            userInfo = rest[..<at]
            rest = rest[rest.index(after: at)...]
        }
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let (host, port) = Self.hostAndPort(parts[0]) else { return nil }
        self.init(.host(host, port: port))
        if parts.count == 2, !parts[1].isEmpty {
            guard let database = Int(parts[1]), database >= 0 else { return nil }
            self.database = database
        }
        if let userInfo { guard setCredentials(userInfo) else { return nil } }
    }

    private init?(unixURL rest: Substring) {
        let parts = rest.split(separator: "?", maxSplits: 1)
        guard let path = parts.first, path.hasPrefix("/") else { return nil }
        self.init(.unixPath(String(path)))
        if parts.count == 2 {
            guard parts[1].hasPrefix("db="), let database = Int(parts[1].dropFirst(3)), database >= 0 else {
                return nil
            }
            self.database = database
        }
    }

    private static func hostAndPort(_ text: Substring) -> (String, UInt16)? {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            if rest.isEmpty { return (host, 6379) }
            return rest.hasPrefix(":") ? UInt16(rest.dropFirst()).map { (host, $0) } : nil
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, parts.count <= 2 else { return nil }
        if parts.count == 1 { return (String(host), 6379) }
        return UInt16(parts[1]).map { (String(host), $0) }
    }

    private mutating func setCredentials(_ userInfo: Substring) -> Bool {
        let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let decoded = parts.map { PercentEncoding.decode(String($0)) }
        guard let first = decoded.first, let user = first else { return false }
        if !user.isEmpty { self.user = user }
        guard decoded.count == 2 else { return true }
        guard let password = decoded[1] else { return false }
        if !password.isEmpty { self.password = password }
        return true
    }
}
