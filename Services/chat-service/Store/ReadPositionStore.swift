import Contract
import Postgres
import Wire

/// How far each user has read each room; never backwards.
///
/// Who writes has read what was there: a position is the later of what is stored here and the user's last message,
/// which the readers of positions look for. So a send writes one row less.
struct ReadPositionStore: Sendable {
    let database: PostgresPool

    private static let move = Statement.write(
        "move read position",
        """
        insert into read_position (user_id, kind, room, seq) values ($1, $2, $3, $4)
        on conflict (user_id, kind, room) do update set seq = excluded.seq where read_position.seq < excluded.seq
        """)
    private static let position = Statement.read(
        "read position",
        """
        with stored as (
            select coalesce(max(seq), 0) as seq from read_position where user_id = $1 and kind = $2 and room = $3
        )
        select coalesce(
            (select seq from message where kind = $2 and room = $3 and author = $1 and seq > stored.seq
             order by seq desc limit 1), seq)
        from stored
        """)

    /// Moves the position forward; what is no move writes nothing.
    func move(_ user: UserID, in room: RoomID, to seq: Int64) async throws {
        try await database.execute(Self.move, user, room.kindNumber, room.rawValue, seq)
    }

    func position(of user: UserID, in room: RoomID) async throws -> Int64 {
        try await database.query(Self.position, user, room.kindNumber, room.rawValue).value()
    }
}
