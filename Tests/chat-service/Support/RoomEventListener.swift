import Synchronization
import TestSupport
import Wire

/// Receives the events published on the channels of rooms, like a gateway.
final class RoomEventListener: Sendable {
    private let connection: RawConnection
    private let redis: RedisServer

    init(_ redis: RedisServer) throws {
        self.redis = redis
        connection = try RawConnection(port: redis.port)
        try connection.send("PSUBSCRIBE room:*\r\n")
        _ = try connection.receiveRedisReply()
    }

    /// The events published since the last call, oldest first.
    func events() async throws -> [JSONValue] {
        // Redis delivers in order: all earlier events have arrived when the mark arrives.
        try await redis.command("PUBLISH", "room:mark", "mark")
        return try await onOwnThread { Result { try self.drain() } }.get().map { try JSONValue(parsing: $0) }
    }

    /// Collects events until `isAll` returns true for them.
    func events(
        until isAll: @escaping @Sendable ([JSONValue]) -> Bool
    ) async throws -> [JSONValue] {
        let events = Mutex<[JSONValue]>([])
        try await eventually("an event in a room") {
            let more = try await self.events()
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
