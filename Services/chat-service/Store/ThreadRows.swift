import Contract
import Postgres
import Wire

/// Reads the threads of a batch of replies under the locks of their rooms, and writes their summaries, their followers and
/// the new revisions of their roots.
enum ThreadRows {
    private static let targets = Statement.read(
        "messages replied to",
        """
        select named.workspace, named.kind, named.room, named.seq, root.seq, named.deleted_at is null
            and root.deleted_at is null,
            case when thread.root is null then array_append(root.mentions, root.author) else '{}' end,
            coalesce(thread.users, '{}'), room.last_seq, room.rev
        from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[]) as wanted (workspace, kind, room, seq)
        join message named on named.workspace = wanted.workspace and named.kind = wanted.kind
            and named.room = wanted.room and named.seq = wanted.seq
        join message root on root.workspace = named.workspace and root.kind = named.kind
            and root.room = named.room and root.seq = coalesce(named.thread, named.seq)
        join room on room.workspace = named.workspace and room.kind = named.kind and room.id = named.room
        left join thread on thread.workspace = root.workspace and thread.kind = root.kind and thread.room = root.room
            and thread.root = root.seq
        """)
    /// Writes nothing in rooms that have refused the replies. A mentioned follower keeps the read marker, so that earlier
    /// unread replies stay unread.
    private static let raise = Statement.write(
        "raise roots of threads",
        """
        with raised as materialized (
            select wanted.*, message.created_at as last_at
            from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                $7::boolean[], $8::text[], $15::bigint[])
                as wanted (kind, room, root, rev, last_seq, added, has_asides, users, workspace)
            join message on message.workspace = wanted.workspace and message.kind = wanted.kind
                and message.room = wanted.room and message.seq = wanted.last_seq
        ), rooms as (
            update room set rev = raised.rev, has_asides = room.has_asides or raised.has_asides
            from (
                select workspace, kind, room, max(rev) as rev, bool_or(has_asides) as has_asides from raised
                group by workspace, kind, room
            ) as raised
            where room.workspace = raised.workspace and room.kind = raised.kind and room.id = raised.room
        ), roots as (
            update message set rev = raised.rev from raised
            where message.workspace = raised.workspace and message.kind = raised.kind and message.room = raised.room
                and message.seq = raised.root
        ), changes as (
            insert into message_change (workspace, kind, room, seq, rev, changed_at)
            select workspace, kind, room, root, rev, last_at from raised
            on conflict on constraint message_change_pkey do update set rev = excluded.rev, changed_at = excluded.changed_at
        ), threads as (
            insert into thread (workspace, kind, room, root, count, last_seq, last_at, users)
            select workspace, kind, room, root, added, last_seq, last_at, string_to_array(users, ',')::bigint[] from raised
            on conflict on constraint thread_pkey do update set count = thread.count + excluded.count,
                last_seq = excluded.last_seq, last_at = excluded.last_at, users = excluded.users
        ), followers as (
            insert into thread_follower (user_id, workspace, kind, room, root, is_following, read_seq)
            select wanted.user_id, workspace, kind, room, root, true, case
                when wanted.reason = 2 and known.is_following then known.read_seq else wanted.read_seq end
            from unnest($9::bigint[], $10::smallint[], $11::bigint[], $12::bigint[], $13::smallint[], $14::bigint[])
                as wanted (user_id, kind, room, root, reason, read_seq)
            join raised using (kind, room, root)
            left join thread_follower known using (user_id, workspace, kind, room, root)
            where wanted.reason > 1 or known.user_id is null
            on conflict on constraint thread_follower_pkey do update
                set is_following = true, read_seq = greatest(thread_follower.read_seq, excluded.read_seq)
        )
        insert into outbox (type, body)
        select 'changes', '[' || string_agg('[' || kind || ',' || room || ',' || root || ']', ',') || ']'
        from raised having count(*) > 0
        returning id
        """)

    /// Adds the statement that reads the messages that the replies name; `targets(_:)` reads its result.
    static func addLookup(of messages: [PendingMessage], to batch: inout PostgresBatch) throws(PostgresError) {
        let keys = Set(messages.compactMap(\.repliedKey))
        try batch.add(
            targets, keys.map(\.workspace), keys.map(\.kindNumber), keys.map(\.roomNumber), keys.map(\.seq))
    }

    static func targets(_ rows: Rows) throws(PostgresError) -> [MessageKey: ThreadPlan.Target] {
        let found = try rows.map { row throws(PostgresError) in
            let key = try row.nextMessageKey()
            let (root, isOpen): (Int64, Bool) = (try row.next(), try row.next())
            // Only users follow: 0 and below are groups.
            let (first, users): ([Int64], [UserID]) = (try row.next(), try row.next())
            return (
                key,
                ThreadPlan.Target(
                    root: root, isOpen: isOpen, firstFollowers: first.filter { $0 > 0 }.map { UserID($0) },
                    users: users, head: RoomHead(seq: try row.next(), rev: try row.next()))
            )
        }
        return Dictionary(found) { first, _ in first }
    }

    /// Adds the statement that writes the threads. It returns the id of the outbox row that lists the roots.
    static func add(_ plan: ThreadPlan, to batch: inout PostgresBatch) throws(PostgresError) {
        let (roots, followers) = (plan.roots, plan.followers)
        let rootUsers = roots.map { $0.users.map(\.description).joined(separator: ",") }
        let (rooms, ids) = (roots.map(\.key.room.kindNumber), roots.map(\.key.room.rawValue))
        try batch.add(
            raise, rooms, ids, roots.map(\.key.seq), roots.map(\.rev), roots.map(\.lastSeq), roots.map(\.added),
            roots.map(\.hasAsides), rootUsers, followers.map(\.user), followers.map(\.key.room.kindNumber),
            followers.map(\.key.room.rawValue), followers.map(\.key.seq), followers.map(\.reason.rawValue),
            followers.map(\.readSeq), roots.map(\.key.workspace))
    }
}

extension PendingMessage {
    /// The message that it replies to; nil if it is no reply.
    var repliedKey: MessageKey? { reply.map { MessageKey(roomKey, seq: $0.seq) } }
}
