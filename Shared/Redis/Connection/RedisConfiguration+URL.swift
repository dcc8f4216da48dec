internal import Wire

extension RedisConfiguration {
    /// Parses `redis://user:password@host:port/database`, in which all parts but the host are optional,
    /// `redis+cluster://user:password@host:port,host:port`, or `unix:///path?db=database`. User and password are
    /// percent-encoded. nil for any other text.
    public init?(url: String) {
        if let rest = url.removing(prefix: "redis://") {
            self.init(authority: rest)
        } else if let rest = url.removing(prefix: "redis+cluster://") {
            self.init(cluster: rest)
        } else if let rest = url.removing(prefix: "unix://"), rest.hasPrefix("/") {
            self.init(path: rest)
        } else {
            return nil
        }
    }

    private init?(authority text: Substring) {
        let (entry, database) = text.parted(at: "/")
        self.init()
        guard let address = takeCredentials(of: entry), let server = Self.server(address),
            let number = Self.database(database)
        else { return nil }
        self.server = server
        self.database = number
    }

    /// A cluster has the database 0 alone.
    private init?(cluster text: Substring) {
        let (entry, database) = text.parted(at: "/")
        self.init()
        guard let addresses = takeCredentials(of: entry), Self.database(database) == 0 else { return nil }
        let seeds = addresses.split(separator: ",", omittingEmptySubsequences: false).map(Self.server)
        guard let first = seeds[0], seeds.allSatisfy({ $0 != nil }) else { return nil }
        server = first
        self.seeds = seeds.compactMap(\.self)
    }

    /// Takes user and password, and returns the text after them; nil if they cannot be read.
    private mutating func takeCredentials(of entry: Substring) -> Substring? {
        guard let at = entry.lastIndex(of: "@") else { return entry }
        let (user, password) = entry[..<at].parted(at: ":")
        guard let password, let decoded = PercentEncoding.decode(String(password)),
            let name = PercentEncoding.decode(String(user))
        else { return nil }
        self.password = decoded
        self.user = name.isEmpty ? nil : name
        return entry[entry.index(after: at)...]
    }

    private init?(path text: Substring) {
        let (path, query) = text.parted(at: "?")
        self.init(.unixPath(String(path)))
        guard let query else { return }
        guard let number = query.removing(prefix: "db=").flatMap({ Self.database($0) }) else { return nil }
        database = number
    }

    private static func server(_ text: Substring) -> Server? {
        var (host, port) = text.parted(at: ":")
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
        }
        guard !host.isEmpty, let number = port.map({ UInt16($0) }) ?? 6379, number > 0 else { return nil }
        return .host(String(host), port: number)
    }

    private static func database(_ text: Substring?) -> Int? {
        guard let text, !text.isEmpty else { return 0 }
        return Int(text).flatMap { $0 >= 0 ? $0 : nil }
    }
}

extension StringProtocol where SubSequence == Substring {
    fileprivate func removing(prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }

    /// The text before the first `mark`, and the text after it if there is one.
    fileprivate func parted(at mark: Character) -> (before: Substring, after: Substring?) {
        guard let index = firstIndex(of: mark) else { return (self[...], nil) }
        return (self[..<index], self[self.index(after: index)...])
    }
}
