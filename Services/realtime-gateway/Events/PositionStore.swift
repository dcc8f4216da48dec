import Redis
import Wire

/// Where each session's socket is in each room, for whichever node it connects to next.
struct PositionStore: Sendable {
    let redis: Redis

    private static let lifetime = 3600

    /// The last position told or sent; nil where none is known.
    func find(_ session: SessionID, _ room: RoomID) async -> Int64? {
        let reply = try? await redis.run(RedisCommand("GET", Self.key(session, room)))
        return reply?.text.flatMap(Int64.init)
    }

    /// Notes a position, without waiting.
    func put(_ session: SessionID, _ room: RoomID, _ seq: Int64) {
        redis.post(RedisCommand("SET", Self.key(session, room), String(seq), "EX", Self.lifetime))
    }

    private static func key(_ session: SessionID, _ room: RoomID) -> String { "position:\(session):\(room)" }
}
