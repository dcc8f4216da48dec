import Contract
import Postgres
import Wire

/// Does the work of `ThreadRows` for the replies of one workspace in a schema that is divided by workspace.
enum DividedThreadRows {
    private static let targets = Statement.read(
        "messages replied to in workspace",
        """
        select $1::bigint, named.kind, named.room, named.seq, root.seq, named.deleted_at is null
            and root.deleted_at is null,
            case when thread.root is null then array_append(root.mentions, root.author) else '{}' end,
            coalesce(thread.users, '{}'), room.last_seq, room.rev
        from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as wanted (kind, room, seq)
        join message named on named.workspace = $1 and named.kind = wanted.kind and named.room = wanted.room
            and named.seq = wanted.seq
        join message root on root.workspace = $1 and root.kind = named.kind and root.room = named.room
            and root.seq = coalesce(named.thread, named.seq)
        join room on room.workspace = $1 and room.kind = named.kind and room.id = named.room
        left join (select * from thread where workspace = $1) as thread
            on thread.kind = root.kind and thread.room = root.room and thread.root = root.seq
        """)
    private static let rooms = Statement.write(
        "raise revisions by replies",
        """
        update room set rev = raised.rev, has_asides = room.has_asides or raised.has_asides
        from (
            select kind, id, max(rev) as rev, bool_or(has_asides) as has_asides
            from unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::boolean[]) as raised (kind, id, rev, has_asides)
            group by kind, id
        ) as raised
        where room.workspace = $1 and room.kind = raised.kind and room.id = raised.id
        """)
    private static let roots = Statement.write(
        "change roots of threads",
        """
        update message set rev = raised.rev
        from unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[]) as raised (kind, room, seq, rev)
        where message.workspace = $1 and message.kind = raised.kind and message.room = raised.room
            and message.seq = raised.seq
        """)
    private static let threads = Statement.write(
        "add to threads",
        """
        insert into thread (workspace, kind, room, root, count, last_seq, last_at, users)
        select $1, kind, room, root, added, last_seq, last_at, string_to_array(users, ',')::bigint[]
        from unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[])
            as raised (kind, room, root, added, last_seq, last_at, users)
        on conflict on constraint thread_pkey do update set count = thread.count + excluded.count,
            last_seq = excluded.last_seq, last_at = excluded.last_at, users = excluded.users
        """)
    private static let followers = Statement.write(
        "follow threads by replies",
        """
        insert into thread_follower (user_id, workspace, kind, room, root, is_following, read_seq)
        select wanted.user_id, $1, kind, room, root, true, case
            when wanted.reason = 2 and known.is_following then known.read_seq else wanted.read_seq end
        from unnest($2::bigint[], $3::smallint[], $4::bigint[], $5::bigint[], $6::smallint[], $7::bigint[])
            as wanted (user_id, kind, room, root, reason, read_seq)
        left join (select * from thread_follower where workspace = $1) as known using (user_id, kind, room, root)
        where wanted.reason > 1 or known.user_id is null
        on conflict on constraint thread_follower_pkey do update
            set is_following = true, read_seq = greatest(thread_follower.read_seq, excluded.read_seq)
        """)

    /// Adds the statement that reads the messages that replies name; `ThreadRows.targets` reads its result.
    static func addLookup(
        of messages: [PendingMessage], in workspace: WorkspaceID, to batch: inout PostgresBatch
    ) throws(PostgresError) {
        let (kinds, rooms, seqs) = ChangeRows.columns(Array(Set(messages.compactMap(\.repliedKey))))
        try batch.add(targets, workspace, kinds, rooms, seqs)
    }

    /// Adds the statements that write the threads. The last one returns the id of the outbox row that lists the roots.
    ///
    /// - Parameter times: the times of the new replies.
    static func add(
        _ plan: ThreadPlan, times: [MessageKey: Int64], in workspace: WorkspaceID, to batch: inout PostgresBatch
    ) throws(PostgresError) {
        let (raised, users) = (plan.roots, plan.roots.map { $0.users.map(\.description).joined(separator: ",") })
        let (kinds, ids, seqs) = ChangeRows.columns(raised.map(\.key))
        try batch.add(rooms, workspace, kinds, ids, raised.map(\.rev), raised.map(\.hasAsides))
        try batch.add(roots, workspace, kinds, ids, seqs, raised.map(\.rev))
        let ends = raised.map { times[MessageKey($0.key.roomKey, seq: $0.lastSeq)] ?? 0 }
        try batch.add(ChangeRows.changes, raised.map(\.key.workspace), kinds, ids, seqs, raised.map(\.rev), ends)
        try batch.add(threads, workspace, kinds, ids, seqs, raised.map(\.added), raised.map(\.lastSeq), ends, users)
        let following = plan.followers
        let (theirKinds, theirRooms, theirRoots) = ChangeRows.columns(following.map(\.key))
        try batch.add(
            followers, workspace, following.map(\.user), theirKinds, theirRooms, theirRoots,
            following.map(\.reason.rawValue), following.map(\.readSeq))
        try ChangeRows.addOutbox(raised.map(\.key), to: &batch)
    }
}
