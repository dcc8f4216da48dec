import Contract
import Postgres
import Wire

/// The history cursors that Redis could not be told.
struct HistoryCursorStore: Sendable {
    let database: PostgresPool
    /// How long they are kept.
    let memory: Duration

    private static let put = Statement.write(
        "put history cursor",
        """
        with expired as (delete from told_position where told_at < $6)
        insert into told_position (session, kind, room, seq, told_at) values ($1, $2, $3, $4, $5)
        on conflict (session, kind, room) do update
            set seq = greatest(told_position.seq, excluded.seq), told_at = excluded.told_at
        """)
    private static let find = Statement.read(
        "find history cursor",
        "select coalesce(max(seq), 0) from told_position where session = $1 and kind = $2 and room = $3")

    /// Raises the cursor of a session in a room, and deletes expired ones.
    func put(_ session: SessionID, _ room: RoomID, _ seq: Int64, now: Timestamp = .now) async throws {
        try await database.execute(
            Self.put, session, room.kindNumber, room.rawValue, seq, now.milliseconds,
            (now - memory).milliseconds)
    }

    /// Returns 0 for an unknown session or room.
    func find(_ session: SessionID, _ room: RoomID) async throws -> Int64 {
        try await database.query(Self.find, session, room.kindNumber, room.rawValue).value()
    }
}
