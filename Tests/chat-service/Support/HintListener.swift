import TestSupport
import Wire

/// Receives the messages of one Redis channel.
final class HintListener: Sendable {
    private let connection: RawConnection

    init(_ redis: RedisServer, _ channel: String) throws {
        connection = try RawConnection(port: redis.port)
        try connection.send("SUBSCRIBE \(channel)\r\n")
        _ = try connection.receiveRedisReply()
    }

    /// The next message.
    func next() async throws -> JSONValue {
        let parts = try await onOwnThread { Result { try self.connection.receiveRedisReply() } }.get()
        return try JSONValue(parsing: parts.last ?? "")
    }
}
