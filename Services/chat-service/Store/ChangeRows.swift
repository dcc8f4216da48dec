import Contract
import Postgres
import Wire

/// Writes the rows of a batch of changes, in its transaction.
enum ChangeRows {
    private static let rooms = Statement.write(
        "raise revisions",
        """
        update room set rev = raised.rev from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as raised (kind, id, rev)
        where room.kind = raised.kind and room.id = raised.id
        """)
    private static let messages = Statement.write(
        "change messages",
        """
        update message set rev = changed.rev, content = coalesce(changed.content, message.content),
            edited_at = changed.edited_at, deleted_at = changed.deleted_at,
            files = case when changed.deleted_at is null then message.files else '{}' end,
            digest = case when changed.deleted_at is null then message.digest end,
            mentions = case when changed.deleted_at is null then message.mentions end
        from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[])
            as changed (kind, room, seq, rev, content, edited_at, deleted_at)
        where message.kind = changed.kind and message.room = changed.room and message.seq = changed.seq
        """)
    private static let changes = Statement.write(
        "note changes",
        """
        insert into message_change (kind, room, seq, rev)
        select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[])
        on conflict (kind, room, seq) do update set rev = excluded.rev
        """)
    private static let versions = Statement.write(
        "keep earlier texts",
        """
        insert into message_version (kind, room, seq, content, written_at, written_by)
        select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
        """)
    private static let react = Statement.write(
        "add reactions",
        """
        insert into reaction (kind, room, seq, emoji, user_id, reacted_at)
        select *, $6 from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[])
        on conflict do nothing
        """)
    private static let unreact = Statement.write(
        "remove reactions",
        """
        delete from reaction using unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[])
            as gone (kind, room, seq, emoji, user_id)
        where reaction.kind = gone.kind and reaction.room = gone.room and reaction.seq = gone.seq
            and reaction.emoji = gone.emoji and reaction.user_id = gone.user_id
        """)
    /// For outgoing webhooks of the workspace that tell of reactions, if there are some.
    private static let tellReactions = Statement.write(
        "keep reactions for webhooks",
        """
        insert into webhook_reaction (room, rev, seq, emoji, user_id, is_added, reacted_at)
        select news.room, news.rev, seq, emoji, user_id, is_added, $8::bigint
        from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::boolean[])
            as news (kind, room, seq, rev, emoji, user_id, is_added)
        join room on room.kind = news.kind and room.id = news.room
        where news.kind = 1 and exists (
            select from webhook_subscription s
            where s.workspace = room.workspace and s.is_on and 'reaction' = any(s.events))
        """)
    private static let pin = Statement.write(
        "add pins",
        """
        insert into pin (kind, room, seq, pinned_by, pinned_at)
        select *, $5 from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[]) on conflict do nothing
        """)
    private static let unpin = Statement.write(
        "remove pins",
        """
        delete from pin
        where (kind, room, seq) in (select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as gone (kind, room, seq))
        """)
    /// The sweep of unsent files removes files that the caller cannot remove after the commit.
    private static let erase = Statement.write(
        "erase rests of messages",
        """
        with gone as (
            select * from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as gone (kind, room, seq)
        ), versions as (
            delete from message_version where (kind, room, seq) in (select * from gone)
        ), reactions as (
            delete from reaction where (kind, room, seq) in (select * from gone)
        ), pins as (
            delete from pin where (kind, room, seq) in (select * from gone)
        ), saved as (
            delete from saved_message where (kind, room, seq) in (select * from gone)
        ), replies as (
            delete from reply where (kind, room, seq) in (select * from gone)
        ), mentions as (
            delete from mention where (kind, room, seq) in (select * from gone)
        )
        update file set is_sent = false where name = any($4::text[])
        """)
    /// Members that a reply or a root mentions now follow the thread. A text that keeps `@here` keeps the members that it has
    /// reached. If it loses the name of a member, they stay mentioned if they are present now.
    private static let moveMentions = Statement.write(
        "move mentions",
        """
        with given as (
            select kind, room, seq, string_to_array(mentions, ',')::bigint[] as mentions,
                coalesce(string_to_array(reached, ',')::bigint[], '{}') as reached
            from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[])
                as given (kind, room, seq, mentions, reached)
        ), wanted as (
            select kind, room, seq, given.mentions, reached, coalesce(array_remove(given.mentions, -1), '{}') as named,
                coalesce(-1 = any(given.mentions) and -1 = any(m.mentions), false) as keeps_here,
                coalesce(array_remove(m.mentions, -1), '{}') as earlier
            from given join message m using (kind, room, seq)
        ), messages as (
            update message set mentions = wanted.mentions from wanted
            where message.kind = wanted.kind and message.room = wanted.room and message.seq = wanted.seq
            returning message.kind, message.room, message.seq, coalesce(message.thread, message.seq) as root,
                wanted.mentions
        ), gone as (
            delete from mention using wanted
            where mention.kind = wanted.kind and mention.room = wanted.room and mention.seq = wanted.seq
                and mention.user_id <> all(named || reached)
                and not (keeps_here and (mention.user_id <> all(earlier) or -1 = any(reached)))
        ), followers as (
            insert into thread_follower (user_id, kind, room, root, is_following, read_seq)
            select user_id, kind, room, root, true, greatest(root, max(seq) - 1)
            from messages join thread using (kind, room, root), unnest(mentions) as user_id where user_id > 0
            group by user_id, kind, room, root
            on conflict (user_id, kind, room, root) do update set is_following = true, read_seq = case
                when thread_follower.is_following then thread_follower.read_seq
                else greatest(thread_follower.read_seq, excluded.read_seq) end
        )
        insert into mention (kind, room, seq, user_id)
        select kind, room, seq, unnest(case when keeps_here then named else named || reached end) from wanted
        on conflict do nothing
        """)
    /// Adds the statements to a batch.
    ///
    /// - Returns: the index of the statement that returns the outbox row; nil if nothing is written.
    static func add(_ writes: ChangeWrites, to batch: inout PostgresBatch) throws(PostgresError) -> Int? {
        guard !writes.isEmpty else { return nil }
        let rooms = writes.rooms.keys.sorted()
        try batch.add(
            Self.rooms, rooms.map(\.kindNumber), rooms.map(\.rawValue), rooms.map { writes.rooms[$0] ?? 0 })
        try addMessages(writes, to: &batch)
        try addReactions(writes, to: &batch)
        try addPins(writes, to: &batch)
        if !writes.erased.messages.isEmpty {
            let (kinds, ids, seqs) = columns(writes.erased.messages)
            try batch.add(erase, kinds, ids, seqs, writes.erased.files.compactMap(FileRecord.name(inPath:)))
        }
        if !writes.erased.threads.isEmpty {
            try recountThreads(Array(writes.erased.threads), in: &batch)
        }
        try addOutbox(writes.messages.map(\.key), to: &batch)
        return batch.count - 1
    }

    private static func addMessages(_ writes: ChangeWrites, to batch: inout PostgresBatch) throws(PostgresError) {
        let rows = writes.messages
        let (kinds, ids, seqs) = columns(rows.map(\.key))
        try batch.add(
            messages, kinds, ids, seqs, rows.map(\.rev), rows.map(\.content), rows.map { $0.editedAt?.milliseconds },
            rows.map { $0.deletedAt?.milliseconds })
        try batch.add(changes, kinds, ids, seqs, rows.map(\.rev))
        if !writes.mentions.isEmpty {
            let mentions = Array(writes.mentions)
            let (kinds, ids, seqs) = columns(mentions.map(\.key))
            try batch.add(
                moveMentions, kinds, ids, seqs, mentions.map(\.value.list.column), mentions.map(\.value.reachedColumn))
        }
        if !writes.versions.isEmpty {
            let versions = writes.versions
            let (kinds, ids, seqs) = columns(versions.map(\.key))
            try batch.add(
                Self.versions, kinds, ids, seqs, versions.map(\.content), versions.map(\.writtenAt.milliseconds),
                versions.map(\.writtenBy))
        }
    }

    private static func addReactions(_ writes: ChangeWrites, to batch: inout PostgresBatch) throws(PostgresError) {
        if !writes.addedReactions.isEmpty {
            let rows = writes.addedReactions
            let (kinds, ids, seqs) = columns(rows.map(\.key))
            try batch.add(
                react, kinds, ids, seqs, rows.map(\.emoji), rows.map(\.user), writes.time.milliseconds)
        }
        if !writes.removedReactions.isEmpty {
            let rows = writes.removedReactions
            let (kinds, ids, seqs) = columns(rows.map(\.key))
            try batch.add(unreact, kinds, ids, seqs, rows.map(\.emoji), rows.map(\.user))
        }
        let all = writes.addedReactions.map { ($0, true) } + writes.removedReactions.map { ($0, false) }
        if !all.isEmpty {
            let (kinds, ids, seqs) = columns(all.map(\.0.key))
            try batch.add(
                tellReactions, kinds, ids, seqs, all.map { writes.revs[$0.0.key] ?? 0 }, all.map(\.0.emoji),
                all.map(\.0.user), all.map(\.1), writes.time.milliseconds)
        }
    }

    private static func addPins(_ writes: ChangeWrites, to batch: inout PostgresBatch) throws(PostgresError) {
        if !writes.addedPins.isEmpty {
            let (kinds, ids, seqs) = columns(writes.addedPins.map(\.key))
            try batch.add(pin, kinds, ids, seqs, writes.addedPins.map(\.user), writes.time.milliseconds)
        }
        if !writes.removedPins.isEmpty {
            let (kinds, ids, seqs) = columns(writes.removedPins)
            try batch.add(unpin, kinds, ids, seqs)
        }
    }

    static func columns(_ keys: [MessageKey]) -> (kinds: [Int16], rooms: [Int64], seqs: [Int64]) {
        (keys.map(\.room.kindNumber), keys.map(\.room.rawValue), keys.map(\.seq))
    }
}
