import Contract
import Postgres
import Wire

/// How far each user has read each room; never backwards.
struct ReadPositionStore: Sendable {
    let database: PostgresPool

    private static let move = Statement(
        "move read position",
        """
        with moved as (
            insert into read_position (user_id, kind, room, seq) values ($1, $2, $3, $4)
            on conflict (user_id, kind, room) do update set seq = excluded.seq where read_position.seq < excluded.seq
            returning seq
        )
        select seq from moved
        union all
        select greatest(seq, $4) from read_position where user_id = $1 and kind = $2 and room = $3
        limit 1
        """)

    /// Moves the position forward and returns where it is then; what is no move writes nothing.
    @discardableResult
    func move(_ user: UserID, in room: RoomID, to seq: Int64) async throws -> Int64 {
        let rows = try await database.query(Self.move, user.rawValue, room.kindNumber, room.rawValue, seq)
        // Nothing is returned where another call has put the position there, or beyond, since the snapshot.
        return try rows.first { row throws(PostgresError) in try row.next(as: Int64.self) } ?? seq
    }
}
