import Postgres
import Wire

/// Writes the rows of a batch of messages, in its transaction.
enum MessageRows {
    /// Most batches have plain messages only, and this statement is the shorter one.
    private static let plain = Statement.write(
        "write messages",
        """
        with raised as (
            update room set last_seq = last_seq + count, last_at = greatest($4::bigint, last_at + $5) + $5 * (count - 1)
            from unnest($16::bigint[], $1::smallint[], $2::bigint[], $3::bigint[])
                as wanted (workspace, kind, room, count)
            where room.workspace = wanted.workspace and room.kind = wanted.kind and room.id = wanted.room
                and not is_closed
                and (last_at + $5::bigint <= $4 + $6::bigint or last_at > $4 + 2 * $6::bigint)
            returning room.workspace, room.kind, room.id as room, last_seq, last_at
        ), written as (
            insert into message (workspace, kind, room, seq, author, session, content, files, created_at, client_id,
                digest)
            select workspace, kind, room, last_seq - followers, author, session, content,
                coalesce(string_to_array(files, E'\\n'), '{}'), last_at - $5 * followers, client_id, digest
            from unnest(
                $7::smallint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::text[],
                $14::text[], $15::bytea[]
            ) as pending (kind, room, followers, author, session, content, files, client_id, digest)
            join raised using (kind, room)
            returning kind, room, seq, id, created_at
        ), batch as (
            insert into outbox (type, body)
            select 'messages', '[' || string_agg('[' || kind || ',' || room || ',' || seq || ']', ',') || ']'
            from written having count(*) > 0
            returning id
        )
        select kind, room, id, seq, created_at, null::bigint, (select id from batch)
        from written order by kind, room, seq
        """)
    /// `@here` has a row for each member that it reaches, instead of one of its own. Members that have blocked the author get a row
    /// that keeps them from following the thread when its first reply comes.
    private static let full = Statement.write(
        "write messages with threads and mentions",
        """
        with raised as (
            update room set last_seq = last_seq + count, last_at = greatest($4::bigint, last_at + $5) + $5 * (count - 1)
            from unnest($24::bigint[], $1::smallint[], $2::bigint[], $3::bigint[])
                as wanted (workspace, kind, room, count)
            where room.workspace = wanted.workspace and room.kind = wanted.kind and room.id = wanted.room
                and not is_closed
                and (last_at + $5::bigint <= $4 + $6::bigint or last_at > $4 + 2 * $6::bigint)
            returning room.workspace, room.kind, room.id as room, last_seq, last_at
        ), written as (
            insert into message (workspace, kind, room, seq, author, session, content, files, created_at, client_id, digest,
                thread, is_aside, mentions, is_scheduled)
            select workspace, kind, room, last_seq - followers, author, session, content,
                coalesce(string_to_array(files, E'\\n'), '{}'), last_at - $5 * followers, client_id, digest,
                thread, is_aside, string_to_array(mentions, ',')::bigint[], is_scheduled
            from unnest(
                $7::smallint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::text[],
                $14::text[], $15::bytea[], $16::bigint[], $17::boolean[], $18::text[], $19::boolean[]
            ) as pending (kind, room, followers, author, session, content, files, client_id, digest, thread, is_aside,
                mentions, is_scheduled)
            join raised using (kind, room)
            returning workspace, kind, room, seq, id, created_at, thread, is_aside, mentions
        ), replied as (
            insert into reply (workspace, kind, room, seq, root, is_aside)
            select workspace, kind, room, seq, thread, is_aside from written where thread is not null
        ), mentioned as (
            insert into mention (workspace, kind, room, seq, user_id)
            select workspace, kind, room, seq, unnest(array_remove(mentions, -1)) from written
            union all
            select workspace, kind, room, last_seq - followers, user_id
            from unnest($20::smallint[], $21::bigint[], $22::bigint[], $23::bigint[])
                as reached (kind, room, followers, user_id)
            join raised using (kind, room)
        ), unfollowed as (
            insert into thread_follower (user_id, workspace, kind, room, root, is_following, read_seq)
            select user_id, workspace, kind, room, last_seq - followers, false, last_seq - followers
            from unnest($25::smallint[], $26::bigint[], $27::bigint[], $28::bigint[])
                as blocker (kind, room, followers, user_id)
            join raised using (kind, room)
        ), batch as (
            insert into outbox (type, body)
            select 'messages', '[' || string_agg('[' || kind || ',' || room || ',' || seq || ']', ',') || ']'
            from written having count(*) > 0
            returning id
        )
        select kind, room, id, seq, created_at, thread, (select id from batch) from written order by kind, room, seq
        """)

    /// Adds the statement that numbers and writes messages, and returns them in their order with the id of the outbox row.
    ///
    /// - Parameter roots: the roots of the threads, by the messages that the replies name.
    static func add(
        _ order: BatchOrder, at now: Timestamp, roots: [MessageKey: Int64] = [:], to batch: inout PostgresBatch
    ) throws(PostgresError) {
        let (rooms, messages) = (order.rooms, order.messages)
        let (kinds, ids) = (messages.map(\.room.kindNumber), messages.map(\.room.rawValue))
        let (clientIDs, digests) = (emptyIfAllNil(messages.map(\.clientID)), emptyIfAllNil(messages.map(\.digest)))
        let files = emptyIfAllNil(messages.map { $0.files.isEmpty ? nil : $0.files.joined(separator: "\n") })
        let (spacing, lead) = (MessageWriter.spacing, MessageWriter.maxLead)
        guard messages.contains(where: { !$0.isPlain }) else {
            return try batch.add(
                plain, rooms.map(\.kindNumber), rooms.map(\.rawValue), order.counts, now.milliseconds, spacing, lead,
                kinds, ids, order.followers, messages.map(\.author), messages.map(\.session), messages.map(\.content),
                files, clientIDs, digests, order.firsts.map(\.workspace))
        }
        let reached = zip(messages, order.followers).flatMap { message, followers in
            message.reached.map { (message.room, followers, $0) }
        }
        let blockers = zip(messages, order.followers).flatMap { message, followers in
            message.blockersOfRoot.map { (message.room, followers, $0) }
        }
        try batch.add(
            full, rooms.map(\.kindNumber), rooms.map(\.rawValue), order.counts, now.milliseconds, spacing, lead, kinds,
            ids, order.followers, messages.map(\.author), messages.map(\.session), messages.map(\.content), files,
            clientIDs, digests, messages.map { $0.repliedKey.flatMap { roots[$0] } },
            messages.map { $0.reply?.isInTimeline == false }, messages.map(\.mentions.column),
            messages.map(\.isScheduled), reached.map(\.0.kindNumber), reached.map(\.0.rawValue), reached.map(\.1),
            reached.map(\.2), order.firsts.map(\.workspace), blockers.map(\.0.kindNumber),
            blockers.map(\.0.rawValue), blockers.map(\.1), blockers.map(\.2))
    }

    /// The list, or an empty one if all its values are nil. `unnest` fills up a shorter list with nulls, and a list of nulls costs as
    /// much as one of values: the three lists took 4 % of the instructions of a batch of 30 plain messages.
    private static func emptyIfAllNil<Value>(_ list: [Value?]) -> [Value?] { list.contains { $0 != nil } ? list : [] }
}
