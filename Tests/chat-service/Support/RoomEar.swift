import Synchronization
import TestSupport
import Wire

/// Hears what is published on the channels of rooms, as a gateway does.
final class RoomEar: Sendable {
    private let connection: RawConnection
    private let redis: RedisServer

    init(_ redis: RedisServer) throws {
        self.redis = redis
        connection = try RawConnection(port: redis.port)
        try connection.send("PSUBSCRIBE room:*\r\n")
        _ = try Self.read(connection)
    }

    /// The events published since this was last asked, oldest first.
    func heard() async throws -> [JSONValue] {
        try await onOwnThread { Result { try self.drain() } }.get().map { try JSONValue(parsing: $0) }
    }

    private func drain() throws -> [String] {
        // Redis delivers in order: what was published before the mark has come when the mark comes.
        try Self.command(redis, "PUBLISH", "room:mark", "mark")
        var events: [String] = []
        while true {
            let parts = try Self.read(connection)
            guard parts.count == 4 else { continue }
            if parts[2] == "room:mark" { return events }
            events.append(parts[3])
        }
    }

    /// Runs one command and returns the reply's parts.
    @discardableResult
    static func command(_ redis: RedisServer, _ parts: String...) throws -> [String] {
        let connection = try RawConnection(port: redis.port)
        try connection.send("*\(parts.count)\r\n" + parts.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined())
        return try read(connection)
    }

    private static func read(_ connection: RawConnection) throws -> [String] {
        let line = try connection.receive(until: "\r\n").dropLast()
        let rest = String(line.dropFirst())
        switch line.first {
        case "*": return try (0..<max(0, Int(rest) ?? 0)).flatMap { _ in try read(connection) }
        case "$":
            guard let length = Int(rest), length >= 0 else { return [""] }
            return [String(decoding: try connection.receive(exactly: length + 2).dropLast(2), as: UTF8.self)]
        default: return [rest]
        }
    }
}
