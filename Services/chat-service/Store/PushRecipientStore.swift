import Contract
import Postgres
import Wire

/// Reads the parts of members' state on which pushes depend, for many members in one query.
struct PushRecipientStore: Sendable {
    let database: PostgresPool

    /// Messages below the head in which a member's own last message counts as a read marker.
    static let searched: Int64 = 1000

    private static let list = Statement.read(
        "push recipients",
        """
        select w.user_id, coalesce(n.level, 1), coalesce(n.muted_until, 0),
            s.user_id is not null and is_quiet($5, s.quiet_from, s.quiet_to, s.quiet_zone),
            coalesce(s.keywords, '{}'), coalesce(f.is_following, false)
        from unnest($1::bigint[]) as w (user_id)
        left join room_notify n
            on n.user_id = w.user_id and n.workspace = $2 and n.kind = $3 and n.room = $4
        left join user_settings s on s.user_id = w.user_id
        left join thread_follower f
            on f.user_id = w.user_id and f.workspace = $2 and f.kind = $3 and f.room = $4 and f.root = $6
        order by w.user_id
        """)
    /// The messages of a timeline after a member's marker are all by others, so their number is the difference of two seqs,
    /// less the deleted ones and the replies that are in their threads alone. Those count if the member follows the thread.
    /// The newest messages of each room are read once for all its members, to find the own last message of each. A member
    /// with more unread messages than are searched, and an own one below those, counts a few too many. Messages of authors that
    /// the member has blocked do not count.
    ///
    /// Over several servers the parts of the statement have no common snapshot: a message of the user that is newer than the head of
    /// its room has read everything up to it.
    private static let unread = Statement.read(
        "badges",
        """
        with block as materialized (
            select user_id, blocked from unnest($5::bigint[], $6::bigint[]) as b (user_id, blocked)
        ), place as materialized (
            select user_id, 1::smallint as kind, room from unnest($1::bigint[], $2::bigint[]) as w (user_id, room)
            union all
            select m.user_id, 2::smallint, dm.id from unnest($3::bigint[]) as m (user_id)
            join dm on dm.low = m.user_id and not dm.low_has_left
            union all
            select m.user_id, 2::smallint, dm.id from unnest($3::bigint[]) as m (user_id)
            join dm on dm.high = m.user_id and not dm.high_has_left
        ), unread as materialized (
            select r.workspace, place.user_id, place.kind, place.room, coalesce(p.seq, 0) as seq, r.last_seq
            from place
            join room r on r.kind = place.kind and r.id = place.room
            left join read_position p
                on p.workspace = r.workspace and p.user_id = place.user_id and p.kind = place.kind and p.room = place.room
            where r.last_seq > coalesce(p.seq, 0)
        ), newest as materialized (
            select workspace, kind, room, min(seq) as first, greatest(min(seq), max(last_seq) - $4) as after
            from unread group by workspace, kind, room
        ), own as (
            select m.kind, m.room, m.author, max(m.seq) as seq
            from newest join message m on m.workspace = newest.workspace and m.kind = newest.kind and m.room = newest.room
                and m.seq > newest.after
            where not m.is_aside group by m.kind, m.room, m.author
        ), left_out as materialized (
            select kind, room, c.seq
            from newest join message_change c using (workspace, kind, room) join message m using (workspace, kind, room, seq)
            where c.seq > newest.first and m.deleted_at is not null
            union all
            select kind, room, a.seq from newest join reply a using (workspace, kind, room)
            where a.seq > newest.first and a.is_aside
        ), hidden as (
            select unread.user_id, unread.kind, unread.room, count(*) as count
            from block join unread using (user_id)
            left join own on own.kind = unread.kind and own.room = unread.room and own.author = unread.user_id
            join message m on m.workspace = unread.workspace and m.kind = unread.kind and m.room = unread.room
                and m.author = block.blocked and m.seq > greatest(unread.seq, own.seq)
            where m.deleted_at is null and not m.is_aside
            group by unread.user_id, unread.kind, unread.room
        ), counted as (
            select unread.user_id, greatest(0, unread.last_seq - greatest(unread.seq, own.seq) - coalesce(hidden.count, 0) - (
                select count(*) from left_out o
                where o.kind = unread.kind and o.room = unread.room and o.seq > greatest(unread.seq, own.seq)
            )) as count
            from unread
            left join own on own.kind = unread.kind and own.room = unread.room and own.author = unread.user_id
            left join hidden
                on hidden.user_id = unread.user_id and hidden.kind = unread.kind and hidden.room = unread.room
            union all
            select f.user_id, count(*)
            from place join thread_follower f using (user_id, kind, room)
            join reply a on a.workspace = f.workspace and a.kind = f.kind and a.room = f.room and a.root = f.root
                and a.seq > f.read_seq and a.is_aside
            where f.is_following and not exists (
                select 1 from block join message m on m.author = block.blocked
                where block.user_id = f.user_id and m.workspace = a.workspace and m.kind = a.kind and m.room = a.room and m.seq = a.seq
            )
            group by f.user_id
        )
        select user_id, sum(count)::bigint from counted group by user_id
        """)

    /// The state of members for a message of a room, in the order of their ids.
    ///
    /// - Parameter thread: the root of the message's thread.
    func list(
        _ users: [UserID], in room: RoomKey, thread: Int64?, at now: Timestamp
    ) async throws -> [PushRecipient] {
        try await database.query(
            Self.list, users, room.workspace, room.kindNumber, room.rawValue, now.milliseconds, thread
        )
        .map { row throws(PostgresError) in
            PushRecipient(
                user: try row.next(), notify: try RoomNotify(row: &row), isQuiet: try row.next(),
                keywords: try row.next(), isFollower: try row.next())
        }
    }

    /// The unread messages of users. Users without any are missing.
    func unread(of scope: BadgeStore.Scope) async throws -> [UserID: Int64] {
        try await database.query(
            Self.unread, scope.members, scope.channels, scope.users, Self.searched, scope.blockers,
            scope.blocked
        ).countsOfUsers()
    }
}
