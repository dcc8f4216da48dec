import Contract
import Postgres
import Wire

/// How far each user has read each room; never backwards.
struct ReadPositionStore: Sendable {
    let database: PostgresPool

    private static let move = Statement(
        "move read position",
        """
        insert into read_position (user_id, kind, room, seq) values ($1, $2, $3, $4)
        on conflict (user_id, kind, room) do update set seq = greatest(read_position.seq, excluded.seq)
        returning seq
        """)

    /// Moves the position forward and returns where it is then.
    @discardableResult
    func move(_ user: UserID, in room: RoomID, to seq: Int64) async throws -> Int64 {
        try await database.query(Self.move, user.rawValue, room.kindNumber, room.rawValue, seq).value()
    }
}
