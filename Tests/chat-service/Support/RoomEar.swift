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
        _ = try connection.receiveRedisReply()
    }

    /// The events published since this was last asked, oldest first.
    func heard() async throws -> [JSONValue] {
        // Redis delivers in order: what was published before the mark has come when the mark comes.
        try await redis.command("PUBLISH", "room:mark", "mark")
        return try await onOwnThread { Result { try self.drain() } }.get().map { try JSONValue(parsing: $0) }
    }

    /// The events from now on, as soon as they are all that is waited for.
    func heard(
        until isAll: @escaping @Sendable ([JSONValue]) -> Bool
    ) async throws -> [JSONValue] {
        let events = Mutex<[JSONValue]>([])
        try await eventually("an event in a room") {
            let more = try await self.heard()
            return events.withLock { events in
                events += more
                return isAll(events)
            }
        }
        return events.withLock(\.self)
    }

    private func drain() throws -> [String] {
        var events: [String] = []
        while true {
            let parts = try connection.receiveRedisReply()
            guard parts.count == 4 else { continue }
            if parts[2] == "room:mark" { return events }
            events.append(parts[3])
        }
    }
}
