import Contract
import Postgres
import Wire

/// Counts the unread mentions of many users in one query, beside the unread messages of `PushRecipientStore`.
struct BadgeStore: Sendable {
    let recipients: PushRecipientStore

    /// Begins with the mentions after each read marker, because they are few, and leaves out those before an own message.
    private static let mentions = Statement.read(
        "unread mentions",
        """
        with block as materialized (
            select user_id, blocked from unnest($4::bigint[], $5::bigint[]) as b (user_id, blocked)
        ), place as materialized (
            select user_id, 1::smallint as kind, room from unnest($1::bigint[], $2::bigint[]) as w (user_id, room)
            union all
            select m.user_id, 2::smallint, dm.id from unnest($3::bigint[]) as m (user_id)
            join dm on dm.low = m.user_id and not dm.low_has_left
            union all
            select m.user_id, 2::smallint, dm.id from unnest($3::bigint[]) as m (user_id)
            join dm on dm.high = m.user_id and not dm.high_has_left
        ), unread as materialized (
            select r.workspace, place.user_id, place.kind, place.room, coalesce(p.seq, 0) as seq
            from place
            join room r on r.kind = place.kind and r.id = place.room
            left join read_position p
                on p.workspace = r.workspace and p.user_id = place.user_id and p.kind = place.kind and p.room = place.room
            where r.last_seq > coalesce(p.seq, 0)
        ), counted as (
            select w.user_id, n.seq, w.kind, w.room
            from unread w
            cross join lateral (values (w.user_id), (0::bigint), (-1::bigint)) as named (user_id)
            join mention n on n.workspace = w.workspace and n.user_id = named.user_id and n.kind = w.kind and n.room = w.room
                and n.seq > w.seq
            join message u on u.workspace = n.workspace and u.kind = n.kind and u.room = n.room and u.seq = n.seq
            where u.author <> w.user_id and not u.is_aside and not exists (
                select 1 from message o where o.workspace = n.workspace and o.kind = n.kind and o.room = n.room and o.author = w.user_id
                    and o.seq > n.seq and not o.is_aside)
                and not exists (select 1 from block where block.user_id = w.user_id and block.blocked = u.author)
            union
            select f.user_id, a.seq, f.kind, f.room
            from place join thread_follower f using (user_id, kind, room)
            join reply a on a.workspace = f.workspace and a.kind = f.kind and a.room = f.room and a.root = f.root
                and a.seq > f.read_seq and a.is_aside
            join mention n on n.workspace = a.workspace and n.kind = a.kind and n.room = a.room and n.seq = a.seq
            where f.is_following and n.user_id in (f.user_id, 0, -1) and not exists (
                select 1 from block join message m on m.author = block.blocked
                where block.user_id = f.user_id and m.workspace = a.workspace and m.kind = a.kind and m.room = a.room and m.seq = a.seq)
        )
        select user_id, count(*) from counted group by user_id
        """)

    /// The unread messages of users and those among them that mention the user, in these channels, in all their DMs and in
    /// the threads in them that they follow.
    ///
    /// - Parameter blocks: the blocks of the users; messages of blocked authors do not count.
    func badges(
        of users: [UserID], in channels: [MembershipsReply.Membership], hiding blocks: [UserID: AuthClient.Blocks]
    ) async throws -> [BadgesReply.Badge] {
        let pairs = channels.flatMap { membership in membership.channels.map { (membership.user, $0) } }
        let hidden = users.flatMap { user in (blocks[user]?.blocked ?? []).map { (user, $0) } }
        async let unread = recipients.unread(of: users, in: channels, hiding: blocks)
        let found = try await recipients.database.query(
            Self.mentions, pairs.map(\.0), pairs.map(\.1), users, hidden.map(\.0), hidden.map(\.1)
        ).map { row throws(PostgresError) in (try row.next(as: UserID.self), try row.next(as: Int64.self)) }
        let (counts, mentions) = (try await unread, Dictionary(uniqueKeysWithValues: found))
        return users.map { BadgesReply.Badge(user: $0, unread: counts[$0] ?? 0, mentions: mentions[$0] ?? 0) }
    }
}
