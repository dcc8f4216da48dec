import Contract
import Postgres
import Wire

/// The statements that give edited messages other mentions. The last one updates the messages, because the others compare with the
/// mentions before.
///
/// A text that keeps `@here` keeps the members that it has reached. If it loses the name of a member, they stay mentioned if they
/// are present now.
extension ChangeRows {
    private static let forgetMentions = Statement.write(
        "forget mentions",
        """
        with wanted as (
            select kind, room, seq, coalesce(array_remove(given.mentions, -1), '{}') as named, given.reached,
                coalesce(-1 = any(given.mentions) and -1 = any(m.mentions), false) as keeps_here,
                coalesce(array_remove(m.mentions, -1), '{}') as earlier
            from (
                select kind, room, seq, string_to_array(mentions, ',')::bigint[] as mentions,
                    coalesce(string_to_array(reached, ',')::bigint[], '{}') as reached
                from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[], $5::text[], $6::text[])
                    as given (kind, room, seq, mentions, reached)
            ) as given join message m using (kind, room, seq)
            where m.workspace = any($1::bigint[])
        )
        delete from mention using wanted
        where mention.workspace = any($1::bigint[]) and mention.kind = wanted.kind and mention.room = wanted.room
            and mention.seq = wanted.seq and mention.user_id <> all(named || reached)
            and not (keeps_here and (mention.user_id <> all(earlier) or -1 = any(reached)))
        """)
    private static let insertMentions = Statement.write(
        "add mentions",
        """
        insert into mention (workspace, kind, room, seq, user_id)
        select m.workspace, kind, room, seq, unnest(case
            when coalesce(-1 = any(given.mentions) and -1 = any(m.mentions), false)
            then coalesce(array_remove(given.mentions, -1), '{}')
            else coalesce(array_remove(given.mentions, -1), '{}') || given.reached end)
        from (
            select kind, room, seq, string_to_array(mentions, ',')::bigint[] as mentions,
                coalesce(string_to_array(reached, ',')::bigint[], '{}') as reached
            from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[], $5::text[], $6::text[])
                as given (kind, room, seq, mentions, reached)
        ) as given join message m using (kind, room, seq)
        where m.workspace = any($1::bigint[])
        on conflict do nothing
        """)
    /// Members that a reply or a root mentions now follow the thread, unless they have blocked the author. The first reply to a root makes
    /// them follow, but for those that have opened its thread before: they have a row already.
    private static let follow = Statement.write(
        "follow threads by mentions",
        """
        insert into thread_follower (user_id, workspace, kind, room, root, is_following, read_seq)
        select user_id, workspace, kind, room, root, true, greatest(root, max(seq) - 1)
        from (
            select m.workspace, m.kind, m.room, m.seq, coalesce(m.thread, m.seq) as root,
                unnest(string_to_array(given.mentions, ',')::bigint[]) as user_id
            from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[], $5::text[]) as given (kind, room, seq, mentions)
            join message m using (kind, room, seq)
            where m.workspace = any($1::bigint[])
        ) as mentioned
        left join lateral (
            select true as has_replies from thread t
            where t.workspace = any($1::bigint[]) and t.kind = mentioned.kind and t.room = mentioned.room
                and t.root = mentioned.root
            limit 1
        ) as begun on true
        left join lateral (
            select true as has_opened from thread_follower f
            where f.workspace = any($1::bigint[]) and f.user_id = mentioned.user_id and f.kind = mentioned.kind
                and f.room = mentioned.room and f.root = mentioned.root
            limit 1
        ) as known on true
        where user_id > 0 and (has_replies or has_opened)
        group by user_id, workspace, kind, room, root
        on conflict on constraint thread_follower_pkey do update set is_following = true, read_seq = case
            when thread_follower.is_following then thread_follower.read_seq
            else greatest(thread_follower.read_seq, excluded.read_seq) end
        """)
    /// The first reply to a root makes the members that it mentions follow, but for those that have a row.
    private static let unfollow = Statement.write(
        "keep blockers from threads",
        """
        insert into thread_follower (user_id, workspace, kind, room, root, is_following, read_seq)
        select user_id, m.workspace, kind, room, seq, false, seq
        from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[], $5::bigint[]) as blocker (kind, room, seq, user_id)
        join message m using (kind, room, seq)
        where m.workspace = any($1::bigint[]) and m.thread is null
        on conflict do nothing
        """)
    private static let setMentions = Statement.write(
        "set mentions",
        """
        update message set mentions = string_to_array(given.mentions, ',')::bigint[]
        from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[], $5::text[]) as given (kind, room, seq, mentions)
        where message.workspace = any($1::bigint[]) and message.kind = given.kind and message.room = given.room
            and message.seq = given.seq
        """)

    /// Adds the statements that give messages these mentions.
    static func moveMentions(
        _ mentions: [(key: MessageKey, value: MessageMentions)], in batch: inout PostgresBatch
    ) throws(PostgresError) {
        let workspaces = mentions.map(\.key).distinctWorkspaces
        let (kinds, ids, seqs) = columns(mentions.map(\.key))
        let (lists, reached) = (mentions.map(\.value.list.column), mentions.map(\.value.reachedColumn))
        try batch.add(forgetMentions, workspaces, kinds, ids, seqs, lists, reached)
        try batch.add(insertMentions, workspaces, kinds, ids, seqs, lists, reached)
        try batch.add(follow, workspaces, kinds, ids, seqs, mentions.map(\.value.following.column))
        let blockers = mentions.flatMap { key, mentions in mentions.blockers.map { (key, $0) } }
        if !blockers.isEmpty {
            let (kinds, rooms, roots) = columns(blockers.map(\.0))
            try batch.add(unfollow, workspaces, kinds, rooms, roots, blockers.map(\.1))
        }
        try batch.add(setMentions, workspaces, kinds, ids, seqs, lists)
    }
}
