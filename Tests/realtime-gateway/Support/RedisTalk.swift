import TestSupport

extension RedisServer {
    /// Runs one command and returns the reply's parts.
    @discardableResult
    func command(_ parts: String...) async throws -> [String] {
        try await onOwnThread { [port] in
            Result {
                let connection = try RawConnection(port: port)
                try connection.send("*\(parts.count)\r\n" + parts.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined())
                return try Self.reply(connection)
            }
        }.get()
    }

    private static func reply(_ connection: RawConnection) throws -> [String] {
        let line = try connection.receive(until: "\r\n").dropLast()
        let rest = String(line.dropFirst())
        switch line.first {
        case "*": return try (0..<max(0, Int(rest) ?? 0)).flatMap { _ in try reply(connection) }
        case "$":
            guard let length = Int(rest), length >= 0 else { return [""] }
            return [String(decoding: try connection.receive(exactly: length + 2).dropLast(2), as: UTF8.self)]
        default: return [rest]
        }
    }
}
