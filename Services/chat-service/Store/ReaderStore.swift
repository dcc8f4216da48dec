import Postgres
import Wire

/// Reads how far the members of a room have read.
///
/// A send moves its author's marker without a write: a marker is the larger of the stored seq and the seq of the user's
/// last message. Only the newest messages of the room are searched for that, so that a member of a busy room that
/// never opens it does not make the query scan all of it.
struct ReaderStore: Sendable {
    let database: PostgresPool

    /// Messages below the head in which a member's own last message counts.
    static let searched: Int64 = 10_000

    /// One row a member, or with `$6` one row a seq.
    private static let readers = Statement.read(
        "readers",
        """
        with member as (
            select m.user_id, coalesce(p.seq, 0) as seq
            from unnest($4::bigint[]) as m (user_id)
            left join read_position p
                on p.user_id = m.user_id and p.workspace = $1 and p.kind = $2 and p.room = $3
            left join user_settings s on s.user_id = m.user_id
            where coalesce(s.read_receipts, true)
        ), own as (
            select author, max(seq) as seq from message
            where workspace = $1 and kind = $2 and room = $3 and not is_aside and seq > greatest(
                (select min(seq) from member),
                (select last_seq from room where workspace = $1 and kind = $2 and id = $3) - $5)
            group by author
        ), shown as (
            select member.user_id, greatest(member.seq, own.seq) as seq
            from member left join own on own.author = member.user_id
            where exists (select from member where user_id = $6)
        )
        select case when $7 then 0 else user_id end, seq, count(*) from shown
        where seq > 0 or not $7
        group by 1, 2 order by seq desc, 1 limit $8
        """)

    /// The markers of those members that share them, the furthest first; none if the reader does not share their own.
    func list(_ members: [UserID], of room: RoomKey, for reader: UserID) async throws -> [(user: UserID, seq: Int64)] {
        try await rows(members, room, reader, isGrouped: false, limit: members.count).map { ($0.user, $0.seq) }
    }

    /// How many of those members have read up to each seq, the furthest `limit` seqs first.
    func counts(
        _ members: [UserID], of room: RoomKey, for reader: UserID, limit: Int
    ) async throws -> [(seq: Int64, count: Int64)] {
        try await rows(members, room, reader, isGrouped: true, limit: limit).map { ($0.seq, $0.count) }
    }

    private func rows(
        _ members: [UserID], _ room: RoomKey, _ reader: UserID, isGrouped: Bool, limit: Int
    ) async throws -> [(user: UserID, seq: Int64, count: Int64)] {
        try await database.query(
            Self.readers, room.workspace, room.kindNumber, room.rawValue, members, Self.searched, reader, isGrouped,
            limit
        ).map { row throws(PostgresError) in (try row.next(), try row.next(), try row.next()) }
    }
}
