import Contract
import Redis
import ServiceKit
import Wire

/// Tells gateways how far a session's last history reply went, so that its socket goes on from there.
struct GatewayPositions: Sendable {
    private let redis: Redis
    private let positions: SessionCursors
    private let untold: ToldPositionStore

    /// A reply waits no longer for Redis.
    private static let patience = Duration.milliseconds(200)

    init(redis: Redis, memory: Duration, untold: ToldPositionStore) {
        self.redis = redis
        self.untold = untold
        positions = SessionCursors(redis: redis, memory: memory)
    }

    /// Returns when Redis has it, or where it does not answer, the table that gateways ask instead.
    func tell(_ session: SessionID, _ room: RoomID, _ seq: Int64) async throws {
        do {
            try await positions.setHistory(session, room, seq, within: Self.patience)
        } catch {
            try await untold.put(session, room, seq)
        }
        // On its way before the reply is.
        redis.publish(HistoryHint(session: session, room: room, seq: seq))
    }
}
