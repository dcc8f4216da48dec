import Contract
import Postgres
import Wire

/// Writes the rows of a batch of changes, in its transaction.
enum ChangeRows {
    private static let rooms = Statement.write(
        "raise revisions",
        """
        update room set rev = raised.rev from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[])
            as raised (workspace, kind, id, rev)
        where room.workspace = raised.workspace and room.kind = raised.kind and room.id = raised.id
        """)
    private static let messages = Statement.write(
        "change messages",
        """
        update message set rev = changed.rev, content = coalesce(changed.content, message.content),
            edited_at = changed.edited_at, deleted_at = changed.deleted_at,
            files = case when changed.deleted_at is null then message.files else '{}' end,
            digest = case when changed.deleted_at is null then message.digest end,
            mentions = case when changed.deleted_at is null then message.mentions end
        from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[],
            $8::bigint[]) as changed (workspace, kind, room, seq, rev, content, edited_at, deleted_at)
        where message.workspace = changed.workspace and message.kind = changed.kind and message.room = changed.room
            and message.seq = changed.seq
        """)
    private static let changes = Statement.write(
        "note changes",
        """
        insert into message_change (workspace, kind, room, seq, rev)
        select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[])
        on conflict on constraint message_change_pkey do update set rev = excluded.rev
        """)
    private static let versions = Statement.write(
        "keep earlier texts",
        """
        insert into message_version (workspace, kind, room, seq, content, written_at, written_by)
        select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[])
        """)
    private static let react = Statement.write(
        "add reactions",
        """
        insert into reaction (workspace, kind, room, seq, emoji, user_id, reacted_at)
        select *, $7 from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[])
        on conflict do nothing
        """)
    private static let unreact = Statement.write(
        "remove reactions",
        """
        delete from reaction using unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[])
            as gone (workspace, kind, room, seq, emoji, user_id)
        where reaction.workspace = gone.workspace and reaction.kind = gone.kind and reaction.room = gone.room
            and reaction.seq = gone.seq
            and reaction.emoji = gone.emoji and reaction.user_id = gone.user_id
        """)
    /// For outgoing webhooks of the workspace that tell of reactions, if there are some.
    private static let tellReactions = Statement.write(
        "keep reactions for webhooks",
        """
        insert into webhook_reaction (workspace, room, rev, seq, emoji, user_id, is_added, reacted_at)
        select news.workspace, news.room, news.rev, seq, emoji, user_id, is_added, $9::bigint
        from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[],
            $7::bigint[], $8::boolean[]) as news (workspace, kind, room, seq, rev, emoji, user_id, is_added)
        where news.kind = 1 and exists (
            select from webhook_subscription s
            where s.workspace = news.workspace and s.is_on and 'reaction' = any(s.events))
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
        where (workspace, kind, room, seq) in (
            select * from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[])
                as gone (workspace, kind, room, seq))
        """)
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
    /// Members that a reply or a root mentions now follow the thread. A text that keeps `@here` keeps the members that it has
    /// reached. If it loses the name of a member, they stay mentioned if they are present now.
    private static let moveMentions = Statement.write(
        "move mentions",
        """
        with given as (
            select workspace, kind, room, seq, string_to_array(mentions, ',')::bigint[] as mentions,
                coalesce(string_to_array(reached, ',')::bigint[], '{}') as reached
            from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[])
                as given (workspace, kind, room, seq, mentions, reached)
        ), wanted as (
            select workspace, kind, room, seq, given.mentions, reached,
                coalesce(array_remove(given.mentions, -1), '{}') as named,
                coalesce(-1 = any(given.mentions) and -1 = any(m.mentions), false) as keeps_here,
                coalesce(array_remove(m.mentions, -1), '{}') as earlier
            from given join message m using (workspace, kind, room, seq)
        ), messages as (
            update message set mentions = wanted.mentions from wanted
            where message.workspace = wanted.workspace and message.kind = wanted.kind and message.room = wanted.room
                and message.seq = wanted.seq
            returning message.workspace, message.kind, message.room, message.seq, coalesce(message.thread, message.seq) as root,
                wanted.mentions
        ), gone as (
            delete from mention using wanted
            where mention.workspace = wanted.workspace and mention.kind = wanted.kind and mention.room = wanted.room
                and mention.seq = wanted.seq
                and mention.user_id <> all(named || reached)
                and not (keeps_here and (mention.user_id <> all(earlier) or -1 = any(reached)))
        ), followers as (
            insert into thread_follower (user_id, workspace, kind, room, root, is_following, read_seq)
            select user_id, workspace, kind, room, root, true, greatest(root, max(seq) - 1)
            from messages join thread using (workspace, kind, room, root), unnest(mentions) as user_id where user_id > 0
            group by user_id, workspace, kind, room, root
            on conflict on constraint thread_follower_pkey do update set is_following = true, read_seq = case
                when thread_follower.is_following then thread_follower.read_seq
                else greatest(thread_follower.read_seq, excluded.read_seq) end
        )
        insert into mention (workspace, kind, room, seq, user_id)
        select workspace, kind, room, seq, unnest(case when keeps_here then named else named || reached end) from wanted
        on conflict do nothing
        """)

    /// Adds the statements to a batch.
    ///
    /// - Returns: the index of the statement that returns the outbox row; nil if nothing is written.
    static func add(_ writes: ChangeWrites, to batch: inout PostgresBatch) throws(PostgresError) -> Int? {
        guard !writes.isEmpty else { return nil }
        let rooms = writes.rooms.keys.sorted { $0.id < $1.id }
        try batch.add(
            Self.rooms, rooms.map(\.workspace), rooms.map(\.kindNumber), rooms.map(\.rawValue),
            rooms.map { writes.rooms[$0] ?? 0 })
        try addMessages(writes, to: &batch)
        try addReactions(writes, to: &batch)
        try addPins(writes, to: &batch)
        if !writes.erased.messages.isEmpty {
            let (workspaces, kinds, ids, seqs) = columns(writes.erased.messages)
            try batch.add(
                erase, workspaces, kinds, ids, seqs, writes.erased.files.compactMap(FileRecord.name(inPath:)))
        }
        if !writes.erased.threads.isEmpty {
            try recountThreads(Array(writes.erased.threads), in: &batch)
        }
        try addOutbox(writes.messages.map(\.key), to: &batch)
        return batch.count - 1
    }

    private static func addMessages(_ writes: ChangeWrites, to batch: inout PostgresBatch) throws(PostgresError) {
        let rows = writes.messages
        let (workspaces, kinds, ids, seqs) = columns(rows.map(\.key))
        try batch.add(
            messages, workspaces, kinds, ids, seqs, rows.map(\.rev), rows.map(\.content),
            rows.map { $0.editedAt?.milliseconds },
            rows.map { $0.deletedAt?.milliseconds })
        try batch.add(changes, workspaces, kinds, ids, seqs, rows.map(\.rev))
        if !writes.mentions.isEmpty {
            let mentions = Array(writes.mentions)
            let (workspaces, kinds, ids, seqs) = columns(mentions.map(\.key))
            try batch.add(
                moveMentions, workspaces, kinds, ids, seqs, mentions.map(\.value.list.column),
                mentions.map(\.value.reachedColumn))
        }
        if !writes.versions.isEmpty {
            let versions = writes.versions
            let (workspaces, kinds, ids, seqs) = columns(versions.map(\.key))
            try batch.add(
                Self.versions, workspaces, kinds, ids, seqs, versions.map(\.content),
                versions.map(\.writtenAt.milliseconds),
                versions.map(\.writtenBy))
        }
    }

    private static func addReactions(_ writes: ChangeWrites, to batch: inout PostgresBatch) throws(PostgresError) {
        if !writes.addedReactions.isEmpty {
            let rows = writes.addedReactions
            let (workspaces, kinds, ids, seqs) = columns(rows.map(\.key))
            try batch.add(
                react, workspaces, kinds, ids, seqs, rows.map(\.emoji), rows.map(\.user), writes.time.milliseconds)
        }
        if !writes.removedReactions.isEmpty {
            let rows = writes.removedReactions
            let (workspaces, kinds, ids, seqs) = columns(rows.map(\.key))
            try batch.add(unreact, workspaces, kinds, ids, seqs, rows.map(\.emoji), rows.map(\.user))
        }
        let all = writes.addedReactions.map { ($0, true) } + writes.removedReactions.map { ($0, false) }
        if !all.isEmpty {
            let (workspaces, kinds, ids, seqs) = columns(all.map(\.0.key))
            try batch.add(
                tellReactions, workspaces, kinds, ids, seqs, all.map { writes.revs[$0.0.key] ?? 0 }, all.map(\.0.emoji),
                all.map(\.0.user), all.map(\.1), writes.time.milliseconds)
        }
    }

    private static func addPins(_ writes: ChangeWrites, to batch: inout PostgresBatch) throws(PostgresError) {
        if !writes.addedPins.isEmpty {
            let (workspaces, kinds, ids, seqs) = columns(writes.addedPins.map(\.key))
            try batch.add(pin, workspaces, kinds, ids, seqs, writes.addedPins.map(\.user), writes.time.milliseconds)
        }
        if !writes.removedPins.isEmpty {
            let (workspaces, kinds, ids, seqs) = columns(writes.removedPins)
            try batch.add(unpin, workspaces, kinds, ids, seqs)
        }
    }

    static func columns(
        _ keys: [MessageKey]
    ) -> (workspaces: [WorkspaceID], kinds: [Int16], rooms: [Int64], seqs: [Int64]) {
        (keys.map(\.workspace), keys.map(\.kindNumber), keys.map(\.roomNumber), keys.map(\.seq))
    }
}
