extension RedisServer {
    /// Runs one command and returns the parts of the reply.
    @discardableResult
    public func command(_ parts: String...) async throws -> [String] { try await command(parts) }

    /// Runs one command, given as a list, and returns the parts of the reply.
    @discardableResult
    public func command(_ parts: [String]) async throws -> [String] {
        try await onOwnThread { [port] in
            Result {
                let connection = try RawConnection(port: port)
                try connection.send("*\(parts.count)\r\n" + parts.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined())
                return try connection.receiveRedisReply()
            }
        }.get()
    }

    /// Waits until `count` connections have subscribed to a channel.
    public func untilHeard(_ channel: String, by count: Int) async throws {
        try await eventually("\(count) who hear \(channel)") {
            try await self.command("PUBSUB", "NUMSUB", channel).last == "\(count)"
        }
    }
}

extension RawConnection {
    /// The parts of the next reply of Redis; nested lists are flattened.
    public func receiveRedisReply() throws -> [String] {
        let line = try receive(until: "\r\n").dropLast()
        let rest = String(line.dropFirst())
        switch line.first {
        case "*": return try (0..<max(0, Int(rest) ?? 0)).flatMap { _ in try receiveRedisReply() }
        case "$":
            guard let length = Int(rest), length >= 0 else { return [""] }
            return [String(decoding: try receive(exactly: length + 2).dropLast(2), as: UTF8.self)]
        default: return [rest]
        }
    }
}
