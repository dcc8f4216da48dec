internal import CPostgres
internal import EventLoop

/// A parsed connection string. Host names are resolved in it before libpq would block on them.
struct ConnectionString: Equatable {
    private(set) var settings: [String: String] = [:]

    /// Parses a libpq URI or `key=value` pairs.
    init(_ text: String) throws(PostgresError) {
        // The parser's message may quote the password.
        guard let options = PQconninfoParse(text, nil) else {
            throw PostgresError(.unavailable, message: "malformed connection string")
        }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
    }

    /// Sets a keyword that the string does not set.
    mutating func setDefault(_ keyword: String, _ value: String) {
        if settings[keyword] == nil { settings[keyword] = value }
    }

    /// Adds the option `-c name=value` for the session.
    mutating func addOption(_ name: String, _ value: String) {
        settings["options"] = (settings["options"].map { $0 + " " } ?? "") + "-c \(name)=\(value)"
    }

    /// The hosts, each with its address and port as far as they are set; one empty entry if the string names none.
    var hosts: [PostgresHost] {
        let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        return (0..<max(1, names.count, addresses.count)).map { index in
            func entry(of list: [String]) -> String? {
                guard !list.isEmpty else { return nil }
                let text = list[min(index, list.count - 1)]
                return text.isEmpty ? nil : text
            }
            return PostgresHost(
                name: index < names.count ? entry(of: names) : nil,
                address: index < addresses.count ? entry(of: addresses) : nil, port: entry(of: ports))
        }
    }

    private func list(_ keyword: String) -> [String] {
        guard let text = settings[keyword], !text.isEmpty else { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// The same settings with one host.
    func naming(_ host: PostgresHost) -> ConnectionString {
        var copy = self
        (copy.settings["host"], copy.settings["hostaddr"], copy.settings["port"]) = (host.name, host.address, host.port)
        return copy
    }

    /// The same settings for sessions that may only read.
    var acceptingReplicas: ConnectionString {
        var copy = self
        copy.settings["target_session_attrs"] = "any"
        return copy
    }

    /// The settings as `key='value'` pairs.
    var text: String {
        settings.sorted { $0.key < $1.key }.map { key, value in
            let escaped = value.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
            return "\(key)='\(escaped)'"
        }.joined(separator: " ")
    }

    /// Whether only sessions that can write are wanted: the default, unless the string says otherwise.
    var needsWritable: Bool { settings["target_session_attrs"] ?? Self.writable == Self.writable }

    /// Libpq's word for sessions that can write.
    static let writable = "read-write"

    /// The same settings with a resolved address of a host.
    func at(_ address: SocketAddress, of name: String) -> ConnectionString {
        naming(PostgresHost(name: name, address: address.host, port: String(address.port)))
    }

    /// Starts to connect without blocking.
    func startConnecting() -> OpaquePointer? {
        let pairs = settings.sorted { $0.key < $1.key }
        return pairs.map(\.key).withCStrings { keys in
            pairs.map(\.value).withCStrings { values in PQconnectStartParams(keys, values, 0) }
        }
    }
}

extension [String] {
    /// Calls `body` with an array of C strings that ends with nil.
    fileprivate func withCStrings<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
        let texts = map { $0.utf8CString }
        let all = texts.flatMap { $0 }
        return all.withUnsafeBufferPointer { all in
            var offset = 0
            var pointers: [UnsafePointer<CChar>?] = texts.map { text in
                defer { offset += text.count }
                return all.baseAddress! + offset
            }
            pointers.append(nil)
            return body(pointers)
        }
    }
}
