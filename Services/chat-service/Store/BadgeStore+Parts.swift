import Contract
import Postgres
import Wire

/// The statements of badges for one part of a divided schema. Each table names the workspaces, so that they need one server.
extension BadgeStore {
    /// As the badges of `PushRecipientStore`.
    private static let unreadAmong = Statement.read(
        "badges among some workspaces",
        """
        with block as materialized (
            select user_id, blocked from unnest($5::bigint[], $6::bigint[]) as b (user_id, blocked)
        ), place as materialized (
            select user_id, 1::smallint as kind, room from unnest($1::bigint[], $2::bigint[]) as w (user_id, room)
            union all
            select m.user_id, 2::smallint, dm.id from unnest($3::bigint[]) as m (user_id)
            join dm on dm.workspace = any($7::bigint[]) and dm.low = m.user_id and not dm.low_has_left
            union all
            select m.user_id, 2::smallint, dm.id from unnest($3::bigint[]) as m (user_id)
            join dm on dm.workspace = any($7::bigint[]) and dm.high = m.user_id and not dm.high_has_left
        ), unread as materialized (
            select r.workspace, place.user_id, place.kind, place.room, coalesce(p.seq, 0) as seq, r.last_seq
            from place
            join room r on r.workspace = any($7::bigint[]) and r.kind = place.kind and r.id = place.room
            left join read_position p
                on p.workspace = any($7::bigint[]) and p.workspace = r.workspace and p.user_id = place.user_id
                    and p.kind = place.kind and p.room = place.room
            where r.last_seq > coalesce(p.seq, 0)
        ), newest as materialized (
            select workspace, kind, room, min(seq) as first, greatest(min(seq), max(last_seq) - $4) as after
            from unread group by workspace, kind, room
        ), own as (
            select m.kind, m.room, m.author, max(m.seq) as seq
            from newest join message m on m.workspace = any($7::bigint[]) and m.workspace = newest.workspace
                and m.kind = newest.kind and m.room = newest.room and m.seq > newest.after
            where not m.is_aside group by m.kind, m.room, m.author
        ), left_out as materialized (
            select kind, room, c.seq
            from newest join message_change c using (workspace, kind, room) join message m using (workspace, kind, room, seq)
            where c.workspace = any($7::bigint[]) and m.workspace = any($7::bigint[]) and c.seq > newest.first
                and m.deleted_at is not null
            union all
            select kind, room, a.seq from newest join reply a using (workspace, kind, room)
            where a.workspace = any($7::bigint[]) and a.seq > newest.first and a.is_aside
        ), hidden as (
            select unread.user_id, unread.kind, unread.room, count(*) as count
            from block join unread using (user_id)
            left join own on own.kind = unread.kind and own.room = unread.room and own.author = unread.user_id
            join message m on m.workspace = any($7::bigint[]) and m.workspace = unread.workspace and m.kind = unread.kind
                and m.room = unread.room and m.author = block.blocked and m.seq > greatest(unread.seq, own.seq)
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
            join reply a on a.workspace = any($7::bigint[]) and a.workspace = f.workspace and a.kind = f.kind
                and a.room = f.room and a.root = f.root and a.seq > f.read_seq and a.is_aside
            where f.workspace = any($7::bigint[]) and f.is_following and not exists (
                select 1 from block join message m on m.author = block.blocked
                where block.user_id = f.user_id and m.workspace = any($7::bigint[]) and m.workspace = a.workspace and m.kind = a.kind
                    and m.room = a.room and m.seq = a.seq
            )
            group by f.user_id
        )
        select user_id, sum(count)::bigint from counted group by user_id
        """)
    /// As the mentions of `BadgeStore`.
    private static let mentionsAmong = Statement.read(
        "unread mentions among some workspaces",
        """
        with block as materialized (
            select user_id, blocked from unnest($4::bigint[], $5::bigint[]) as b (user_id, blocked)
        ), place as materialized (
            select user_id, 1::smallint as kind, room from unnest($1::bigint[], $2::bigint[]) as w (user_id, room)
            union all
            select m.user_id, 2::smallint, dm.id from unnest($3::bigint[]) as m (user_id)
            join dm on dm.workspace = any($6::bigint[]) and dm.low = m.user_id and not dm.low_has_left
            union all
            select m.user_id, 2::smallint, dm.id from unnest($3::bigint[]) as m (user_id)
            join dm on dm.workspace = any($6::bigint[]) and dm.high = m.user_id and not dm.high_has_left
        ), unread as materialized (
            select r.workspace, place.user_id, place.kind, place.room, coalesce(p.seq, 0) as seq
            from place
            join room r on r.workspace = any($6::bigint[]) and r.kind = place.kind and r.id = place.room
            left join read_position p
                on p.workspace = any($6::bigint[]) and p.workspace = r.workspace and p.user_id = place.user_id
                    and p.kind = place.kind and p.room = place.room
            where r.last_seq > coalesce(p.seq, 0)
        ), counted as (
            select w.user_id, n.seq, w.kind, w.room
            from unread w
            cross join lateral (values (w.user_id), (0::bigint), (-1::bigint)) as named (user_id)
            join mention n on n.workspace = any($6::bigint[]) and n.workspace = w.workspace and n.user_id = named.user_id
                and n.kind = w.kind and n.room = w.room and n.seq > w.seq
            join message u on u.workspace = any($6::bigint[]) and u.workspace = n.workspace and u.kind = n.kind
                and u.room = n.room and u.seq = n.seq
            where u.author <> w.user_id and not u.is_aside and not exists (
                select 1 from message o where o.workspace = any($6::bigint[]) and o.workspace = n.workspace and o.kind = n.kind
                    and o.room = n.room and o.author = w.user_id and o.seq > n.seq and not o.is_aside)
                and not exists (select 1 from block where block.user_id = w.user_id and block.blocked = u.author)
            union
            select f.user_id, a.seq, f.kind, f.room
            from place join thread_follower f using (user_id, kind, room)
            join reply a on a.workspace = any($6::bigint[]) and a.workspace = f.workspace and a.kind = f.kind
                and a.room = f.room and a.root = f.root and a.seq > f.read_seq and a.is_aside
            join mention n on n.workspace = any($6::bigint[]) and n.workspace = a.workspace and n.kind = a.kind
                and n.room = a.room and n.seq = a.seq
            where f.workspace = any($6::bigint[]) and f.is_following and n.user_id in (f.user_id, 0, -1) and not exists (
                select 1 from block join message m on m.author = block.blocked
                where block.user_id = f.user_id and m.workspace = any($6::bigint[]) and m.workspace = a.workspace and m.kind = a.kind
                    and m.room = a.room and m.seq = a.seq)
        )
        select user_id, count(*) from counted group by user_id
        """)

    func unread(
        in scope: Scope, among workspaces: [WorkspaceID], by tx: PostgresTransaction
    ) async throws -> [UserID: Int64] {
        try await tx.query(
            Self.unreadAmong, scope.members, scope.channels, scope.users, PushRecipientStore.searched,
            scope.blockers, scope.blocked, workspaces
        ).countsOfUsers()
    }

    func mentions(
        in scope: Scope, among workspaces: [WorkspaceID], by tx: PostgresTransaction
    ) async throws -> [UserID: Int64] {
        try await tx.query(
            Self.mentionsAmong, scope.members, scope.channels, scope.users, scope.blockers,
            scope.blocked, workspaces
        ).countsOfUsers()
    }
}

extension Rows {
    /// Reads the columns user_id, count.
    func countsOfUsers() throws(PostgresError) -> [UserID: Int64] {
        Dictionary(
            uniqueKeysWithValues: try map { row throws(PostgresError) in
                (try row.next(as: UserID.self), try row.next(as: Int64.self))
            })
    }
}
