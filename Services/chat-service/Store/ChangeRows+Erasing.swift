import Contract
import Postgres
import Wire

extension ChangeRows {
    /// The sweep of unsent files removes files that the caller cannot remove after the commit.
    private static let erase = Statement.write(
        "erase rests of messages",
        """
        with gone as (
            select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[])
                as gone (workspace, kind, room, seq)
        ), versions as (
            delete from message_version where (workspace, kind, room, seq) in (select * from gone)
        ), reactions as (
            delete from reaction where (workspace, kind, room, seq) in (select * from gone)
        ), pins as (
            delete from pin where (workspace, kind, room, seq) in (select * from gone)
        ), saved as (
            delete from saved_message where (workspace, kind, room, seq) in (select * from gone)
        ), replies as (
            delete from reply where (workspace, kind, room, seq) in (select * from gone)
        ), mentions as (
            delete from mention where (workspace, kind, room, seq) in (select * from gone)
        )
        update file set is_sent = false where name = any($5::text[])
        """)
    /// Counts the replies that are left, after the deleted ones are gone.
    private static let recount = Statement.write(
        "recount threads",
        """
        update thread set count = found.count, last_seq = coalesce(found.last_seq, thread.root),
            last_at = coalesce(found.last_at, thread.last_at), users = found.users
        from (
            select workspace, kind, room, root, (
                    select count(*) from reply r where r.workspace = w.workspace and r.kind = w.kind and r.room = w.room
                        and r.root = w.root
                ) as count, (
                    select max(seq) from reply r where r.workspace = w.workspace and r.kind = w.kind and r.room = w.room
                        and r.root = w.root
                ) as last_seq, (
                    select created_at from reply r join message using (workspace, kind, room, seq)
                    where r.workspace = w.workspace and r.kind = w.kind and r.room = w.room and r.root = w.root
                        order by seq desc limit 1
                ) as last_at, array(
                    select author from reply r join message using (workspace, kind, room, seq)
                    where r.workspace = w.workspace and r.kind = w.kind and r.room = w.room and r.root = w.root
                    group by author order by max(seq) desc limit $5
                ) as users
            from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[]) as w (workspace, kind, room, root)
        ) as found
        where thread.workspace = found.workspace and thread.kind = found.kind and thread.room = found.room
            and thread.root = found.root
        """)

    /// Adds the statements that erase the rests of deleted messages and recount their threads.
    static func addErased(
        _ erased: ChangeWrites.Erased, to batch: inout PostgresBatch
    ) throws(PostgresError) {
        if !erased.messages.isEmpty {
            let (workspaces, kinds, ids, seqs) = columns(erased.messages)
            try batch.add(erase, workspaces, kinds, ids, seqs, erased.files.compactMap(FileRecord.name(inPath:)))
        }
        if !erased.threads.isEmpty {
            let (workspaces, kinds, ids, seqs) = columns(Array(erased.threads))
            try batch.add(recount, workspaces, kinds, ids, seqs, RepliesSummary.shownUsers)
        }
    }
}
