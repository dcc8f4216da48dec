import Contract
import Redis
import ServiceKit
import Wire

/// Tells gateways how far a session's last history reply went, so that its socket goes on from there.
struct GatewayPositions: Sendable {
    private let redis: Redis
    private let positions: SessionPositions
    private let untold: ToldPositionStore

    /// A reply waits no longer for Redis.
    private static let patience = Duration.milliseconds(200)

    init(redis: Redis, memory: Duration, untold: ToldPositionStore) {
        self.redis = redis
        self.untold = untold
        positions = SessionPositions(redis: redis, memory: memory)
    }

    /// Returns when Redis has it, or where it does not answer, the table that gateways ask instead.
    func tell(_ session: SessionID, _ room: RoomID, _ seq: Int64) async throws {
        let hint = JSONWriter.bytes { json in
            json.object { json in
                json.field("session", session.description)
                json.field("room", room.description)
                json.field("seq", seq)
            }
        }
        do {
            try await positions.tell(session, room, seq, within: Self.patience)
        } catch {
            try await untold.put(session, room, seq)
        }
        // On its way before the reply is.
        redis.hint(hint, to: HintChannel.positions)
    }
}
