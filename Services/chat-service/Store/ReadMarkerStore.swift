import Contract
import Postgres
import Wire

/// The table of read markers. A marker never moves backwards.
///
/// A send moves its author's marker to the message sent. To save a write for each send, the table does not hold that: a
/// marker is the larger of the stored seq and the seq of the user's last message, and queries look for both.
struct ReadMarkerStore: Sendable {
    let database: PostgresPool

    /// Looks first, because a conflict locks its row and writes to the log of Postgres even if nothing changes: most histories
    /// move nothing.
    private static let advance = Statement.write(
        "move read marker",
        """
        insert into read_position (user_id, workspace, kind, room, seq)
        select $1::bigint, $2::bigint, $3::smallint, $4::bigint, $5::bigint
        where not exists (
            select from read_position
                where user_id = $1 and workspace = $2 and kind = $3 and room = $4 and seq >= $5)
        on conflict on constraint read_position_pkey do update set seq = excluded.seq
        where read_position.seq < excluded.seq
        """)
    private static let marker = Statement.read(
        "read marker",
        """
        with stored as (
            select coalesce(max(seq), 0) as seq from read_position
            where user_id = $1 and workspace = $2 and kind = $3 and room = $4
        )
        select coalesce(
            (select seq from message where workspace = $2 and kind = $3 and room = $4 and author = $1
                and seq > stored.seq and not is_aside
             order by seq desc limit 1), seq)
        from stored
        """)

    /// Moves the marker forward; a smaller or equal seq writes nothing. Returns whether the marker has moved.
    func advance(_ user: UserID, in room: RoomKey, to seq: Int64) async throws -> Bool {
        try await database.execute(Self.advance, user, room.workspace, room.kindNumber, room.rawValue, seq) > 0
    }

    /// Moves the marker of a reader of history. A server without space leaves it where it is, so that history can be read.
    func advanceIfPossible(_ user: UserID, in room: RoomKey, to seq: Int64) async throws -> Bool {
        do {
            return try await advance(user, in: room, to: seq)
        } catch let error as PostgresError where error.isOutOfResources {
            return false
        }
    }

    func marker(of user: UserID, in room: RoomKey) async throws -> Int64 {
        try await database.query(Self.marker, user, room.workspace, room.kindNumber, room.rawValue).value()
    }
}
