import Contract
import Postgres
import Wire

/// The statements that follow the deletion of messages: the summaries of threads, and the outbox row.
extension ChangeRows {
    /// Counts the replies that are left, after the deleted ones are gone.
    private static let recount = Statement.write(
        "recount threads",
        """
        update thread set count = found.count, last_seq = coalesce(found.last_seq, thread.root),
            last_at = coalesce(found.last_at, thread.last_at), users = found.users
        from (
            select kind, room, root, (
                    select count(*) from reply r
                    where r.workspace = any($1) and r.kind = w.kind and r.room = w.room and r.root = w.root
                ) as count, (
                    select max(seq) from reply r
                    where r.workspace = any($1) and r.kind = w.kind and r.room = w.room and r.root = w.root
                ) as last_seq, (
                    select created_at from reply r join message m using (workspace, kind, room, seq)
                    where r.workspace = any($1) and m.workspace = any($1) and r.kind = w.kind and r.room = w.room and r.root = w.root
                        order by seq desc limit 1
                ) as last_at, array(
                    select author from reply r join message m using (workspace, kind, room, seq)
                    where r.workspace = any($1) and m.workspace = any($1) and r.kind = w.kind and r.room = w.room and r.root = w.root
                    group by author order by max(seq) desc limit $5
                ) as users
            from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[]) as w (kind, room, root)
        ) as found
        where thread.workspace = any($1::bigint[]) and thread.kind = found.kind and thread.room = found.room
            and thread.root = found.root
        """)
    private static let outbox = Statement.write(
        "note changes in outbox", "insert into outbox (type, body) values ('changes', $1) returning id")

    /// Adds the statement that counts the replies of threads again.
    static func recountThreads(_ roots: [MessageKey], in batch: inout PostgresBatch) throws(PostgresError) {
        let (kinds, ids, seqs) = columns(roots)
        try batch.add(recount, roots.distinctWorkspaces, kinds, ids, seqs, RepliesSummary.shownUsers)
    }

    /// Adds the statement that lists changed messages in the outbox and returns the row's id.
    static func addOutbox(_ keys: [MessageKey], to batch: inout PostgresBatch) throws(PostgresError) {
        let list = keys.map { "[\($0.kindNumber),\($0.roomNumber),\($0.seq)]" }
        try batch.add(outbox, "[\(list.joined(separator: ","))]")
    }
}
