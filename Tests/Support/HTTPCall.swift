/// One HTTP/1.1 request on its own connection, for tests of a running service.
///
///     let reply = try await HTTPCall.get(port: port, "/healthz")
///     #expect(reply.status == 200)
public struct HTTPCall: Sendable {
    /// The reply. Names of headers are in lower case.
    public struct Reply: Sendable {
        public let status: Int
        public let headers: [String: String]
        public let body: [UInt8]

        public var text: String { String(decoding: body, as: UTF8.self) }
    }

    public var method: String
    public var port: UInt16
    public var target: String
    public var headers: [(String, String)]
    public var body: [UInt8]

    public init(
        _ method: String, port: UInt16, _ target: String, headers: [(String, String)] = [], body: [UInt8] = []
    ) {
        self.method = method
        self.port = port
        self.target = target
        self.headers = headers
        self.body = body
    }

    public static func get(
        port: UInt16, _ target: String, headers: [(String, String)] = []
    ) async throws -> Reply {
        try await HTTPCall("GET", port: port, target, headers: headers).reply()
    }

    public static func post(
        port: UInt16, _ target: String, json: String, headers: [(String, String)] = []
    ) async throws -> Reply {
        let headers = headers + [("Content-Type", "application/json")]
        return try await HTTPCall("POST", port: port, target, headers: headers, body: Array(json.utf8)).reply()
    }

    /// Sends the request and waits for the reply.
    public func reply() async throws -> Reply {
        try await onOwnThread { Result { try perform() } }.get()
    }

    private func perform() throws -> Reply {
        let connection = try RawConnection(port: port)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        if !body.isEmpty || method != "GET" { head += "Content-Length: \(body.count)\r\n" }
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        try connection.send(Array((head + "\r\n").utf8) + body)
        while true {
            let reply = try readReply(connection)
            if reply.status >= 200 { return reply }
        }
    }

    private func readReply(_ connection: RawConnection) throws -> Reply {
        let lines = try connection.receive(until: "\r\n\r\n").split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1."), let status = Int(first.split(separator: " ")[1])
        else {
            throw NeverHappened(description: "an HTTP reply")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            headers[parts[0].lowercased(), default: ""] += (headers[parts[0].lowercased()] == nil ? "" : ", ") + value
        }
        let hasBody = method != "HEAD" && status >= 200 && status != 204 && status != 304
        return Reply(status: status, headers: headers, body: hasBody ? try readBody(connection, headers) : [])
    }

    private func readBody(_ connection: RawConnection, _ headers: [String: String]) throws -> [UInt8] {
        if headers["transfer-encoding"] == "chunked" {
            var body: [UInt8] = []
            while true {
                let line = try connection.receive(until: "\r\n").dropLast()
                guard let size = Int(line, radix: 16) else { throw NeverHappened(description: "a chunk's size") }
                body += try connection.receive(exactly: size)
                _ = try connection.receive(exactly: 2)
                if size == 0 { return body }
            }
        }
        guard let length = headers["content-length"].flatMap({ Int($0) }) else { return try connection.receiveToEnd() }
        return try connection.receive(exactly: length)
    }
}
