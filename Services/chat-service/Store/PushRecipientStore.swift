import Contract
import Postgres
import Wire

/// Reads the parts of members' state on which pushes depend, for many members in one query.
struct PushRecipientStore: Sendable {
    let database: PostgresPool

    /// A room adds at most this many messages to a badge.
    static let mostOfRoom = 1000

    private static let list = Statement.read(
        "push recipients",
        """
        select w.user_id, coalesce(n.level, 1), coalesce(n.muted_until, 0),
            s.user_id is not null and is_quiet($4, s.quiet_from, s.quiet_to, s.quiet_zone),
            coalesce(p.seq, 0), coalesce(s.keywords, '{}')
        from unnest($1::bigint[]) as w (user_id)
        left join room_notify n on n.user_id = w.user_id and n.kind = $2 and n.room = $3
        left join user_settings s on s.user_id = w.user_id
        left join read_position p on p.user_id = w.user_id and p.kind = $2 and p.room = $3
        order by w.user_id
        """)
    /// Counts backwards from each room's newest message to the member's own last one or the read marker.
    private static let unread = Statement.read(
        "badges",
        """
        with wanted as (
            select user_id, 1::smallint as kind, room from unnest($1::bigint[], $2::bigint[]) as w (user_id, room)
            union all
            select m.user_id, 2::smallint, dm.id from unnest($3::bigint[]) as m (user_id)
            join dm on dm.low = m.user_id and not dm.low_has_left
            union all
            select m.user_id, 2::smallint, dm.id from unnest($3::bigint[]) as m (user_id)
            join dm on dm.high = m.user_id and not dm.high_has_left
        )
        select w.user_id, sum(unread.count)::bigint
        from wanted w
        join room r on r.kind = w.kind and r.id = w.room
        left join read_position p on p.user_id = w.user_id and p.kind = w.kind and p.room = w.room
        cross join lateral (
            select count(*) filter (where not is_over) as count from (
                select bool_or(newest.author = w.user_id) over (order by newest.seq desc rows unbounded preceding)
                    as is_over
                from (
                    select m.seq, m.author from message m
                    where m.kind = w.kind and m.room = w.room and m.seq > coalesce(p.seq, 0)
                    order by m.seq desc limit $4
                ) as newest
            ) as counted
        ) as unread
        where r.last_seq > coalesce(p.seq, 0)
        group by w.user_id
        """)

    /// The state of members for a message of a room, in the order of their ids.
    func list(_ users: [UserID], in room: RoomID, at now: Timestamp) async throws -> [PushRecipient] {
        try await database.query(Self.list, users, room.kindNumber, room.rawValue, now.milliseconds)
            .map { row throws(PostgresError) in
                PushRecipient(
                    user: try row.next(), notify: try RoomNotify(row: &row), isQuiet: try row.next(),
                    readMarker: try row.next(), keywords: try row.next())
            }
    }

    /// The unread messages of users in these channels and in all their DMs. Users without any are missing.
    func unread(
        of users: [UserID], in channels: [MembershipsReply.Membership]
    ) async throws -> [UserID: Int64] {
        let pairs = channels.flatMap { membership in membership.channels.map { (membership.user, $0) } }
        let found = try await database.query(
            Self.unread, pairs.map(\.0), pairs.map(\.1), users, Self.mostOfRoom
        ).map { row throws(PostgresError) in (try row.next(as: UserID.self), try row.next(as: Int64.self)) }
        return Dictionary(uniqueKeysWithValues: found)
    }
}
