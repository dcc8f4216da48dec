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
        insert into told_position (session, workspace, kind, room, seq, told_at) values ($1, $2, $3, $4, $5, $6)
        on conflict on constraint told_position_pkey do update
            set seq = greatest(told_position.seq, excluded.seq), told_at = excluded.told_at
        """)
    private static let expire = Statement.write(
        "expire history cursors", "delete from told_position where workspace = $1 and told_at < $2")
    private static let find = Statement.read(
        "find history cursor",
        """
        select coalesce(max(seq), 0) from told_position
        where session = $1 and workspace = $2 and kind = $3 and room = $4
        """)

    /// Raises the cursor of a session in a room, and deletes expired ones of its workspace.
    func put(_ session: SessionID, _ room: RoomKey, _ seq: Int64, now: Timestamp = .now) async throws {
        var batch = PostgresBatch()
        try batch.add(Self.expire, room.workspace, (now - memory).milliseconds)
        try batch.add(
            Self.put, session, room.workspace, room.kindNumber, room.rawValue, seq, now.milliseconds)
        try await database.run(batch)
    }

    /// Returns 0 for an unknown session or room.
    func find(_ session: SessionID, _ room: RoomKey) async throws -> Int64 {
        try await database.query(Self.find, session, room.workspace, room.kindNumber, room.rawValue).value()
    }
}
