import Redis
import ServiceKit
import Wire

/// Tells gateways how far a session's last history reply went, so that its socket goes on from there.
struct GatewayPositions: Sendable {
    let redis: Redis

    private static let channel = "positions"
    private static let lifetime = 3600
    /// A reply waits no longer for Redis: without it nothing is live anyway.
    private static let patience = Duration.milliseconds(200)

    /// Returns when Redis has it, or does not answer.
    func tell(_ session: SessionID, _ room: RoomID, _ seq: Int64) async {
        let hint = JSONWriter.bytes { json in
            json.object { json in
                json.field("session", session.description)
                json.field("room", room.description)
                json.field("seq", seq)
            }
        }
        _ = await redis.run(
            [
                RedisCommand("SET", "position:\(session):\(room)", String(seq), "EX", Self.lifetime),
                RedisCommand("PUBLISH", Self.channel, hint),
            ], within: Self.patience)
    }
}
