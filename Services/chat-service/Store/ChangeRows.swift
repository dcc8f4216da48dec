import Contract
import Postgres
import Wire

/// Writes the rows of a batch of changes, in its transaction.
enum ChangeRows {
    private static let rooms = Statement.write(
        "raise revisions",
        """
        update room set rev = raised.rev
        from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[]) as raised (kind, id, rev)
        where room.workspace = any($1::bigint[]) and room.kind = raised.kind and room.id = raised.id
        """)
    private static let messages = Statement.write(
        "change messages",
        """
        update message set rev = changed.rev, content = coalesce(changed.content, message.content),
            edited_at = changed.edited_at, deleted_at = changed.deleted_at,
            files = case when changed.deleted_at is null then message.files else '{}' end,
            digest = case when changed.deleted_at is null then message.digest end,
            mentions = case when changed.deleted_at is null then message.mentions end
        from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[], $8::bigint[])
            as changed (kind, room, seq, rev, content, edited_at, deleted_at)
        where message.workspace = any($1::bigint[]) and message.kind = changed.kind and message.room = changed.room
            and message.seq = changed.seq
        """)
    static let changes = Statement.write(
        "note changes",
        """
        insert into message_change (workspace, kind, room, seq, rev, changed_at)
        select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
        on conflict on constraint message_change_pkey do update set rev = excluded.rev, changed_at = excluded.changed_at
        """)
    private static let versions = Statement.write(
        "keep earlier texts",
        """
        insert into message_version (workspace, kind, room, seq, content, written_at, written_by)
        select * from unnest(
            $1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[])
        """)
    private static let react = Statement.write(
        "add reactions",
        """
        insert into reaction (workspace, kind, room, seq, emoji, user_id, reacted_at)
        select *, $7 from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[])
        on conflict do nothing
        """)
    /// By the messages, because a user can have many reactions. The order rules out the index by user.
    private static let unreact = Statement.write(
        "remove reactions",
        """
        delete from reaction r
        using unnest((select $2::smallint[]), $3::bigint[], $4::bigint[], $5::text[], $6::bigint[])
            as gone (kind, room, seq, emoji, user_id)
        cross join lateral (
            select ctid as address from reaction
            where workspace = any($1) and kind = gone.kind and room = gone.room and seq between gone.seq and gone.seq
                and emoji = gone.emoji and user_id = gone.user_id
            order by seq
        ) as found
        where r.workspace = any($1::bigint[]) and r.ctid = found.address
        """)
    /// For outgoing webhooks of the workspaces that tell of reactions, if there are some.
    private static let tellReactions = Statement.write(
        "keep reactions for webhooks",
        """
        insert into webhook_reaction (workspace, room, rev, seq, emoji, user_id, is_added, reacted_at)
        select workspace, news.room, news.rev, seq, emoji, user_id, is_added, $9::bigint
        from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[],
            $8::boolean[]) as news (workspace, kind, room, seq, rev, emoji, user_id, is_added)
        where news.kind = 1 and exists (
            select from webhook_subscription s
            where s.workspace = any($1) and s.workspace = news.workspace and s.is_on and 'reaction' = any(s.events))
        """)
    private static let pin = Statement.write(
        "add pins",
        """
        insert into pin (workspace, kind, room, seq, pinned_by, pinned_at)
        select *, $6 from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[])
        on conflict do nothing
        """)
    private static let unpin = Statement.write(
        "remove pins",
        """
        delete from pin
        where workspace = any($1::bigint[]) and (kind, room, seq) in (
            select * from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[]) as gone (kind, room, seq))
        """)
    /// The sweep of unsent files removes files that the caller cannot remove after the commit.
    private static let erase = Statement.write(
        "erase rests of messages",
        """
        with gone as (
            select * from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[]) as gone (kind, room, seq)
        ), versions as (
            delete from message_version where workspace = any($1) and (kind, room, seq) in (select * from gone)
        ), reactions as (
            delete from reaction where workspace = any($1) and (kind, room, seq) in (select * from gone)
        ), pins as (
            delete from pin where workspace = any($1) and (kind, room, seq) in (select * from gone)
        ), saved as (
            delete from saved_message where workspace = any($1) and (kind, room, seq) in (select * from gone)
        ), replies as (
            delete from reply where workspace = any($1) and (kind, room, seq) in (select * from gone)
        ), mentions as (
            delete from mention where workspace = any($1) and (kind, room, seq) in (select * from gone)
        )
        update file set is_sent = false where workspace = any($1) and name = any($5::text[])
        """)

    /// Adds the statements to a batch. In a schema that is divided by workspace, the rows are of one workspace.
    ///
    /// - Returns: the index of the statement that returns the outbox row; nil if nothing is written.
    static func add(_ writes: ChangeWrites, to batch: inout PostgresBatch) throws(PostgresError) -> Int? {
        guard !writes.isEmpty else { return nil }
        let rooms = writes.rooms.keys.sorted { $0.id < $1.id }
        try batch.add(
            Self.rooms, rooms.distinctWorkspaces, rooms.map(\.kindNumber), rooms.map(\.rawValue),
            rooms.map { writes.rooms[$0] ?? 0 })
        try addMessages(writes, to: &batch)
        try addReactions(writes, to: &batch)
        try addPins(writes, to: &batch)
        let erased = writes.erased.messages
        if !erased.isEmpty {
            let (kinds, ids, seqs) = columns(erased.map(\.key))
            try batch.add(
                erase, erased.map(\.key).distinctWorkspaces, kinds, ids, seqs,
                erased.flatMap(\.files).compactMap(FileRecord.name(inPath:)))
        }
        if !writes.erased.threads.isEmpty { try recountThreads(Array(writes.erased.threads), in: &batch) }
        try addOutbox(writes.messages.map(\.key), to: &batch)
        return batch.count - 1
    }

    private static func addMessages(_ writes: ChangeWrites, to batch: inout PostgresBatch) throws(PostgresError) {
        let rows = writes.messages
        let keys = rows.map(\.key)
        let (kinds, ids, seqs) = columns(keys)
        try batch.add(
            messages, keys.distinctWorkspaces, kinds, ids, seqs, rows.map(\.rev), rows.map(\.content),
            rows.map { $0.editedAt?.milliseconds }, rows.map { $0.deletedAt?.milliseconds })
        try batch.add(
            changes, keys.map(\.workspace), kinds, ids, seqs, rows.map(\.rev),
            rows.map { _ in writes.time.milliseconds })
        if !writes.mentions.isEmpty { try moveMentions(Array(writes.mentions), in: &batch) }
        if !writes.versions.isEmpty {
            let versions = writes.versions
            let (kinds, ids, seqs) = columns(versions.map(\.key))
            try batch.add(
                Self.versions, versions.map(\.key.workspace), kinds, ids, seqs, versions.map(\.content),
                versions.map(\.writtenAt.milliseconds), versions.map(\.writtenBy))
        }
    }

    private static func addReactions(_ writes: ChangeWrites, to batch: inout PostgresBatch) throws(PostgresError) {
        if !writes.addedReactions.isEmpty {
            let rows = writes.addedReactions
            let (kinds, ids, seqs) = columns(rows.map(\.key))
            try batch.add(
                react, rows.map(\.key.workspace), kinds, ids, seqs, rows.map(\.emoji), rows.map(\.user),
                writes.time.milliseconds)
        }
        if !writes.removedReactions.isEmpty {
            let rows = writes.removedReactions
            let (kinds, ids, seqs) = columns(rows.map(\.key))
            try batch.add(
                unreact, rows.map(\.key).distinctWorkspaces, kinds, ids, seqs, rows.map(\.emoji), rows.map(\.user))
        }
        let all = writes.addedReactions.map { ($0, true) } + writes.removedReactions.map { ($0, false) }
        if !all.isEmpty {
            let (kinds, ids, seqs) = columns(all.map(\.0.key))
            try batch.add(
                tellReactions, all.map(\.0.key.workspace), kinds, ids, seqs, all.map { writes.revs[$0.0.key] ?? 0 },
                all.map(\.0.emoji), all.map(\.0.user), all.map(\.1), writes.time.milliseconds)
        }
    }

    private static func addPins(_ writes: ChangeWrites, to batch: inout PostgresBatch) throws(PostgresError) {
        let (added, removed) = (writes.addedPins.map(\.key), writes.removedPins)
        if !added.isEmpty {
            let (kinds, ids, seqs) = columns(added)
            try batch.add(
                pin, added.map(\.workspace), kinds, ids, seqs, writes.addedPins.map(\.user), writes.time.milliseconds)
        }
        if !removed.isEmpty {
            let (kinds, ids, seqs) = columns(removed)
            try batch.add(unpin, removed.distinctWorkspaces, kinds, ids, seqs)
        }
    }

    /// The keys as lists for `unnest`.
    ///
    /// A statement that joins them to a table passes the first list as `(select $2::smallint[])`, which hides its length from the
    /// planner. Otherwise a plan for the few keys of a small batch looks so much cheaper than the kept plan that Postgres plans
    /// each batch anew. For one edit that took twice as long as its statements.
    static func columns(_ keys: [MessageKey]) -> (kinds: [Int16], rooms: [Int64], seqs: [Int64]) {
        (keys.map(\.kindNumber), keys.map(\.roomNumber), keys.map(\.seq))
    }
}
