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

    /// The hosts with their ports if names must be resolved; empty for Unix sockets and numeric addresses.
    var hostsToResolve: [(host: String, port: UInt16)] {
        guard settings["hostaddr"] == nil, let list = settings["host"], !list.isEmpty else { return [] }
        let hosts = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if hosts.contains(where: { $0.isEmpty || $0.hasPrefix("/") || $0.hasPrefix("@") }) { return [] }
        let ports = (settings["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        return hosts.enumerated().map { index, host in
            let port = ports.isEmpty ? nil : ports[min(index, ports.count - 1)]
            return (host, port.flatMap { UInt16($0) } ?? 5432)
        }
    }

    /// Sets the resolved addresses; libpq tries them in order.
    mutating func setAddresses(_ found: [(host: String, addresses: [SocketAddress])]) {
        let all = found.flatMap { entry in entry.addresses.map { (entry.host, $0) } }
        settings["host"] = all.map(\.0).joined(separator: ",")
        settings["hostaddr"] = all.map(\.1.host).joined(separator: ",")
        settings["port"] = all.map { String($0.1.port) }.joined(separator: ",")
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
