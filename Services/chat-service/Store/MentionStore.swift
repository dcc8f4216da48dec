import Contract
import Postgres
import Wire

/// Reads the messages that mention users.
struct MentionStore: Sendable {
    let database: PostgresPool

    /// A message that mentions a user.
    struct Hit: Sendable {
        let key: MessageKey
        let id: Int64
    }

    /// Looks for the newest mentions of each room by themselves, so that an old room with many costs no more than a new one.
    private static let list = Statement.read(
        "mentions of user",
        """
        select distinct on (id) kind, room, seq, id
        from unnest($2::smallint[], $3::bigint[]) as w (kind, room)
        cross join unnest($4::bigint[]) as as_user (user_id)
        cross join lateral (
            select n.seq, m.id from mention n join message m using (kind, room, seq)
            where n.user_id = as_user.user_id and n.kind = w.kind and n.room = w.room and m.id < $5 and m.author <> $1
                and m.author <> all($7::bigint[])
            order by n.seq desc limit $6
        ) as newest
        order by id desc limit $6
        """)

    private static let reached = Statement.read(
        "mentioned members",
        """
        select user_id from mention
        where kind = $1 and room = $2 and seq = $3 and (user_id = any($4::bigint[]) or user_id = -1)
        """)

    /// The users among these that a message with `@here` mentions by name or as present members; nil for all.
    func reached(_ users: [UserID], by key: MessageKey) async throws -> Set<UserID>? {
        let found = try await database.query(
            Self.reached, key.room.kindNumber, key.room.rawValue, key.seq, users
        ).map { row throws(PostgresError) in try row.next(as: Int64.self) }
        return found.contains(MessageMention.here.number) ? nil : Set(found.map { UserID($0) })
    }

    /// The messages of others in these rooms that mention a user, by name or with the room, newest first, below a message id.
    /// Those of `blocked` authors are left out.
    func list(
        of user: UserID, hiding blocked: Set<UserID>, in rooms: [RoomID], before id: Int64, limit: Int
    ) async throws -> [Hit] {
        try await database.query(
            Self.list, user, rooms.map(\.kindNumber), rooms.map(\.rawValue), MessageMention.numbers(of: user), id,
            limit, Array(blocked)
        ).map { row throws(PostgresError) in Hit(key: try row.nextMessageKey(), id: try row.next()) }
    }
}
