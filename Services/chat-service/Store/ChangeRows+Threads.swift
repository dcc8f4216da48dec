import Contract
import Postgres
import Wire

/// The statements that follow the deletion of messages: the summaries of threads, and the outbox row.
extension ChangeRows {
    /// Counts the replies that are left, after the deleted ones are gone. It reads the replies of each thread and their messages
    /// one by one, because a join may read all messages of the room for a thread without replies. The orders rule out the indexes
    /// that begin with the room alone.
    private static let recount = Statement.write(
        "recount threads",
        """
        update thread set count = found.count, last_seq = coalesce(found.last_seq, thread.root),
            last_at = coalesce(found.last_at, thread.last_at), users = found.users
        from (
            select kind, room, root, summary.*
            from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[]) as w (kind, room, root)
            cross join lateral (
                with left_over as materialized (
                    select r.seq, m.author, m.created_at
                    from (
                        select seq from reply
                        where workspace = any($1) and kind = w.kind and room = w.room and root between w.root and w.root
                        order by root, seq
                    ) as r
                    cross join lateral (
                        select author, created_at from message
                        where workspace = any($1) and kind = w.kind and room = w.room and seq between r.seq and r.seq
                        order by seq limit 1
                    ) as m
                )
                select count(*) as count, max(seq) as last_seq,
                    (select created_at from left_over order by seq desc limit 1) as last_at,
                    array(select author from left_over group by author order by max(seq) desc limit $5) as users
                from left_over
            ) as summary
        ) as found
        where thread.workspace = any($1::bigint[]) and thread.kind = found.kind and thread.room = found.room
            and thread.root = found.root
        """)
    private static let outbox = Statement.write(
        "note changes in outbox", "insert into outbox (workspace, type, body) values ($1, 'changes', $2) returning id")

    /// Adds the statement that counts the replies of threads again.
    static func recountThreads(_ roots: [MessageKey], in batch: inout PostgresBatch) throws(PostgresError) {
        let (kinds, ids, seqs) = columns(roots)
        try batch.add(recount, roots.distinctWorkspaces, kinds, ids, seqs, RepliesSummary.shownUsers)
    }

    /// Adds the statement that lists changed messages in the outbox and returns the row's id. In a schema that is divided by
    /// workspace, the messages are of one.
    static func addOutbox(_ keys: [MessageKey], to batch: inout PostgresBatch) throws(PostgresError) {
        let list = keys.map { "[\($0.kindNumber),\($0.roomNumber),\($0.seq)]" }
        let workspaces = keys.distinctWorkspaces
        try batch.add(
            outbox, workspaces.count == 1 ? workspaces[0] : WorkspaceID(0), "[\(list.joined(separator: ","))]")
    }
}
