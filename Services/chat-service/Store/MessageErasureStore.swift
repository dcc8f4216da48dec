import Contract
import Postgres
import Wire

/// Erases messages of a deleted account, many of one room in a transaction of two round trips.
///
/// It leaves the same as `ChangeWriter` of deleted messages: tombstones with new revisions, one outbox row that lists them, and
/// summaries of threads without them. It asks no plan and reads no message back, so that it costs far less for each message.
struct MessageErasureStore: Sendable {
    let database: PostgresPool

    /// The erased messages of a transaction.
    struct Result: Sendable {
        /// The changed messages by revision: the roots of threads that have lost replies, then the tombstones.
        let changed: [MessageKey]
        /// The paths of the messages' files.
        let files: [String]
        /// The room's revision before.
        let rev: Int64
        let outboxRow: Int64
        /// Whether the search index is in step with the room.
        let isIndexed: Bool
    }

    /// Numbers the roots before the tombstones. An update of a message and the deletion of its rests are one statement, because
    /// they are for the same rows.
    ///
    /// Rows are found one by one, by the key of each message, and changed by their addresses. With a plain join the planner may
    /// compare each message of the room with each of the batch, if it has no statistics. `offset 0` and `limit 1` keep a subquery
    /// apart. The order by `seq` rules out the index by time, which costs the same if the planner expects one row.
    ///
    /// Most messages have no rests. Each table is first asked once for any row between the first and the last message: without one
    /// the messages are not looked up in it.
    private static let erase = Statement.write(
        "erase messages of user",
        """
        with target as materialized (
            select rev from room where workspace = $6::bigint and kind = $1::smallint and id = $2::bigint and not is_closed
        ), gone as materialized (
            select m.* from target cross join unnest($3::bigint[]) as wanted (seq)
            cross join lateral (
                select ctid as address, seq, thread, files, created_at from message
                where workspace = $6 and kind = $1 and room = $2 and seq between wanted.seq and wanted.seq
                    and author = $4 and deleted_at is null
                order by seq limit 1
            ) as m
        ), changed as materialized (
            select seq, is_gone, address, files, created_at, thread, target.rev as before,
                target.rev + row_number() over (order by is_gone, seq) as rev
            from target, (
                select seq, true as is_gone, address, files, created_at, thread from gone
                union all
                select thread, false, null, '{}', 0, null from gone
                where thread is not null and thread not in (select seq from gone) group by thread
            ) as each
        ), rooms as (
            update room set rev = room.rev + (select count(*) from changed)
            where workspace = $6 and kind = $1 and id = $2 and exists (select from changed)
        ), tombstones as (
            update message m set rev = changed.rev, content = '', files = '{}', digest = null, mentions = null,
                deleted_at = $5::bigint
            from changed
            where is_gone and m.workspace = $6 and m.ctid = changed.address
        ), roots as (
            update message m set rev = root.rev
            from (
                select found.address, changed.rev from changed
                cross join lateral (
                    select ctid as address from message
                    where workspace = $6 and kind = $1 and room = $2 and seq between changed.seq and changed.seq
                    order by seq limit 1
                ) as found
                where not is_gone
            ) as root
            where m.workspace = $6 and m.ctid = root.address
        ), versions as (
            delete from message_version r using gone
            cross join lateral (
                select ctid as address from message_version
                where workspace = $6 and kind = $1 and room = $2 and seq = gone.seq offset 0
            ) as found
            where r.workspace = $6 and r.ctid = found.address and (
                select seq from message_version
                where workspace = $6 and kind = $1 and room = $2 and seq between $7::bigint and $8::bigint
                order by seq limit 1) is not null
        ), reactions as (
            delete from reaction r using gone
            cross join lateral (
                select ctid as address from reaction
                where workspace = $6 and kind = $1 and room = $2 and seq = gone.seq offset 0
            ) as found
            where r.workspace = $6 and r.ctid = found.address and (
                select seq from reaction
                where workspace = $6 and kind = $1 and room = $2 and seq between $7::bigint and $8::bigint
                order by seq limit 1) is not null
        ), pins as (
            delete from pin r using gone
            cross join lateral (
                select ctid as address from pin
                where workspace = $6 and kind = $1 and room = $2 and seq between gone.seq and gone.seq
                order by seq limit 1
            ) as found
            where r.workspace = $6 and r.ctid = found.address and (
                select seq from pin
                where workspace = $6 and kind = $1 and room = $2 and seq between $7::bigint and $8::bigint
                order by seq limit 1) is not null
        ), saved as (
            delete from saved_message r using gone
            cross join lateral (
                select ctid as address from saved_message
                where workspace = $6 and kind = $1 and room = $2 and seq = gone.seq offset 0
            ) as found
            where r.workspace = $6 and r.ctid = found.address and (
                select seq from saved_message
                where workspace = $6 and kind = $1 and room = $2 and seq between $7::bigint and $8::bigint
                order by seq limit 1) is not null
        ), replies as (
            delete from reply r using gone
            cross join lateral (
                select ctid as address from reply
                where workspace = $6 and kind = $1 and room = $2 and seq between gone.seq and gone.seq
                order by seq limit 1
            ) as found
            where r.workspace = $6 and r.ctid = found.address and (
                select seq from reply
                where workspace = $6 and kind = $1 and room = $2 and seq between $7::bigint and $8::bigint
                order by seq limit 1) is not null
        ), mentions as (
            delete from mention r using gone
            cross join lateral (
                select ctid as address from mention
                where workspace = $6 and kind = $1 and room = $2 and seq = gone.seq offset 0
            ) as found
            where r.workspace = $6 and r.ctid = found.address and (
                select seq from mention
                where workspace = $6 and kind = $1 and room = $2 and seq between $7::bigint and $8::bigint
                order by seq limit 1) is not null
        ), unsent as (
            update file set is_sent = false
            where workspace = $6 and name = any(array(
                select substring(path from '[^_]*$') from gone, unnest(gone.files) as path))
        )
        select seq, is_gone, files, created_at, thread, before, rev from changed order by rev
        """)
    /// Erases the search entries as well, so that the indexer need not read the messages once more. If the index is behind or
    /// the indexer is at work in the room, it does that later: then no row is updated.
    private static let unindex = Statement.write(
        "erase search entries of messages",
        """
        with progress as materialized (
            select kind, room from search_progress
            where workspace = $7::bigint and kind = $1::smallint and room = $2::bigint and rev = $3::bigint
            for update skip locked
        ), entries as (
            delete from search_message e
            using progress, unnest($5::bigint[], $6::bigint[]) as gone (seq, created_at)
            cross join lateral (
                select ctid as address, tableoid as part from search_message
                where workspace = $7 and created_at = gone.created_at and kind = $1 and room = $2 and seq = gone.seq
                offset 0
            ) as found
            where e.workspace = $7 and e.created_at = gone.created_at and e.tableoid = found.part
                and e.ctid = found.address
        )
        update search_progress p set rev = $4::bigint from progress
        where p.workspace = $7 and p.kind = progress.kind and p.room = progress.room
        returning 1::bigint
        """)

    /// Erases those of the messages that are the user's and not deleted.
    ///
    /// - Returns: nil if there is none, or the room is closed.
    func erase(_ seqs: [Int64], of user: UserID, in room: RoomKey, at now: Timestamp) async throws -> Result? {
        guard let lowest = seqs.min(), let highest = seqs.max() else { return nil }
        return try await database.transaction { tx -> Result? in
            var batch = PostgresBatch()
            try batch.lock([room.id])
            try batch.add(
                Self.erase, room.kindNumber, room.rawValue, seqs, user, now.milliseconds, room.workspace, lowest,
                highest)
            let changed = try Self.read(try await tx.run(batch)[1])
            guard let first = changed.first, let last = changed.last else { return nil }
            let gone = changed.filter(\.isGone)
            var rest = PostgresBatch()
            try rest.add(
                Self.unindex, room.kindNumber, room.rawValue, first.before, last.rev, gone.map(\.seq),
                gone.map(\.createdAt), room.workspace)
            let keys = changed.map { MessageKey(room, seq: $0.seq) }
            let (kinds, rooms, seqs) = ChangeRows.columns(keys)
            try ChangeRows.addOutbox(keys, to: &rest)
            let threads = Set(gone.compactMap(\.thread)).map { MessageKey(room, seq: $0) }
            if !threads.isEmpty { try ChangeRows.recountThreads(threads, in: &rest) }
            try rest.add(
                ChangeRows.changes, keys.map(\.workspace), kinds, rooms, seqs, changed.map(\.rev),
                keys.map { _ in now.milliseconds })
            let results = try await tx.commit(after: rest)
            let row = try results[1].first { row throws(PostgresError) in try row.next(as: Int64.self) }
            let indexed = try results[0].first { row throws(PostgresError) in try row.next(as: Int64.self) }
            return Result(
                changed: keys, files: gone.flatMap(\.files), rev: first.before, outboxRow: row ?? 0,
                isIndexed: indexed != nil)
        }
    }

    private struct Changed: Sendable {
        let seq: Int64
        let isGone: Bool
        let files: [String]
        let createdAt: Int64
        /// The root of its thread; nil if it is no reply.
        let thread: Int64?
        let before: Int64
        let rev: Int64
    }

    private static func read(_ rows: Rows) throws(PostgresError) -> [Changed] {
        try rows.map { row throws(PostgresError) in
            Changed(
                seq: try row.next(), isGone: try row.next(), files: try row.next(), createdAt: try row.next(),
                thread: try row.next(), before: try row.next(), rev: try row.next())
        }
    }
}
