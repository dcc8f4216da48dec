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
        select distinct on (id) $2::bigint, kind, room, seq, id
        from unnest($3::smallint[], $4::bigint[]) as w (kind, room)
        cross join unnest($5::bigint[]) as as_user (user_id)
        cross join lateral (
            select n.seq, m.id from mention n join message m using (workspace, kind, room, seq)
            where n.workspace = $2 and n.user_id = as_user.user_id and n.kind = w.kind and n.room = w.room and m.id < $6
                and m.author <> $1
                and m.author <> all($8::bigint[])
            order by n.seq desc limit $7
        ) as newest
        order by id desc limit $7
        """)

    private static let reached = Statement.read(
        "mentioned members",
        """
        select user_id from mention
        where workspace = $1 and kind = $2 and room = $3 and seq = $4 and (user_id = any($5::bigint[]) or user_id = -1)
        """)

    /// The users among these that a message with `@here` mentions by name or as present members; nil for all.
    func reached(_ users: [UserID], by key: MessageKey) async throws -> Set<UserID>? {
        let found = try await database.query(
            Self.reached, key.workspace, key.kindNumber, key.roomNumber, key.seq, users
        ).map { row throws(PostgresError) in try row.next(as: Int64.self) }
        return found.contains(MessageMention.here.number) ? nil : Set(found.map { UserID($0) })
    }

    /// The messages of others in these rooms of a workspace that mention a user, by name or with the room, newest first, below a message id.
    /// Those of `blocked` authors are left out.
    func list(
        of user: UserID, hiding blocked: Set<UserID>, in rooms: [RoomID], of workspace: WorkspaceID, before id: Int64,
        limit: Int
    ) async throws -> [Hit] {
        try await database.query(
            Self.list, user, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue),
            MessageMention.numbers(of: user), id,
            limit, Array(blocked)
        ).map { row throws(PostgresError) in Hit(key: try row.nextMessageKey(), id: try row.next()) }
    }
}
