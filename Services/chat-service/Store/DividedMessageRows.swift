import Contract
import Postgres
import Wire

/// The statements that write messages of one workspace to a schema that is divided by workspace. Each one changes one table, so that
/// the workspace's worker answers it alone.
enum DividedMessageRows {
    private static let find = Statement.read(
        "find named messages of workspace",
        """
        select ordinal, message.deleted_at is not null or message.digest = pending.digest, id, seq, created_at, files,
            rev
        from unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::text[], $6::bytea[]) with ordinality
            as pending (kind, room, author, client_id, digest, ordinal)
        join message using (kind, room, author, client_id)
        where message.workspace = $1
        """)
    private static let raise = Statement.write(
        "raise heads of rooms",
        """
        update room set last_seq = last_seq + wanted.count,
            last_at = greatest($5::bigint, last_at + $6) + $6 * (wanted.count - 1)
        from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as wanted (kind, id, count)
        where room.workspace = $1 and room.kind = wanted.kind and room.id = wanted.id and not is_closed
            and (last_at + $6::bigint <= $5 + $7::bigint or last_at > $5 + 2 * $7::bigint)
        returning room.kind, room.id, last_seq, last_at
        """)
    private static let insert = Statement.write(
        "write messages of workspace",
        """
        insert into message (workspace, kind, room, seq, created_at, author, session, content, files, client_id, digest,
            thread, is_aside, mentions, is_scheduled)
        select $1, kind, room, seq, created_at, author, session, content,
            coalesce(string_to_array(nullif(files, ''), E'\\n'), '{}'), client_id, digest, thread, is_aside,
            string_to_array(mentions, ',')::bigint[], is_scheduled
        from unnest(
            $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[],
            $10::text[], $11::bytea[], $12::bigint[], $13::boolean[], $14::text[], $15::boolean[]
        ) as new (kind, room, seq, created_at, author, session, content, files, client_id, digest, thread, is_aside,
            mentions, is_scheduled)
        returning kind, room, seq, id
        """)
    private static let reply = Statement.write(
        "write replies of workspace",
        """
        insert into reply (workspace, kind, room, seq, root, is_aside)
        select $1, * from unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[])
        """)
    private static let mention = Statement.write(
        "write mentions of workspace",
        """
        insert into mention (workspace, kind, room, seq, user_id)
        select $1, * from unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[])
        """)
    private static let unfollow = Statement.write(
        "keep blockers from threads of workspace",
        """
        insert into thread_follower (user_id, workspace, kind, room, root, is_following, read_seq)
        select user_id, $1, kind, room, root, false, root
        from unnest($2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[]) as blocker (kind, room, root, user_id)
        """)
    private static let outbox = Statement.write(
        "note messages in outbox", "insert into outbox (workspace, type, body) values ($1, 'messages', $2) returning id"
    )

    /// A room's seq and time after it has been raised.
    struct Head: Sendable {
        let seq: Int64
        let time: Int64
    }

    /// A message with its number and time.
    struct Numbered: Sendable {
        let message: PendingMessage
        let seq: Int64
        let time: Int64
        /// The root of its thread; nil if it is no reply.
        let root: Int64?

        var key: MessageKey { MessageKey(message.roomKey, seq: seq) }
    }

    static func addLookup(
        of messages: [PendingMessage], in workspace: WorkspaceID, to batch: inout PostgresBatch
    ) throws(PostgresError) {
        try batch.add(
            find, workspace, messages.map(\.room.kindNumber), messages.map(\.room.rawValue), messages.map(\.author),
            messages.map(\.clientID), messages.map(\.digest))
    }

    /// Adds the statement that raises rooms; `heads` reads its result.
    static func addRaise(
        _ order: BatchOrder, in workspace: WorkspaceID, at now: Timestamp, to batch: inout PostgresBatch
    ) throws(PostgresError) {
        try batch.add(
            raise, workspace, order.rooms.map(\.kindNumber), order.rooms.map(\.rawValue), order.counts,
            now.milliseconds, MessageWriter.spacing, MessageWriter.maxLead)
    }

    /// The new heads of the rooms that accept their messages.
    static func heads(_ rows: Rows) throws(PostgresError) -> [RoomID: Head] {
        let found = try rows.map { row throws(PostgresError) in
            (try row.nextRoom(), Head(seq: try row.next(), time: try row.next()))
        }
        return Dictionary(found) { first, _ in first }
    }

    /// Adds the statements that write messages and the outbox row that lists them: `ids` reads the result of the first, and the last
    /// returns the id of the row.
    static func add(
        _ numbered: [Numbered], in workspace: WorkspaceID, to batch: inout PostgresBatch
    ) throws(PostgresError) {
        let messages = numbered.map(\.message)
        let (kinds, rooms, seqs) = ChangeRows.columns(numbered.map(\.key))
        try batch.add(
            insert, workspace, kinds, rooms, seqs, numbered.map(\.time), messages.map(\.author),
            messages.map(\.session), messages.map(\.content), messages.map { $0.files.joined(separator: "\n") },
            messages.map(\.clientID), messages.map(\.digest), numbered.map(\.root),
            messages.map { $0.reply?.isInTimeline == false }, messages.map(\.mentions.column),
            messages.map(\.isScheduled))
        let replies = numbered.filter { $0.root != nil }
        if !replies.isEmpty {
            let (kinds, rooms, seqs) = ChangeRows.columns(replies.map(\.key))
            try batch.add(
                reply, workspace, kinds, rooms, seqs, replies.map(\.root),
                replies.map { $0.message.reply?.isInTimeline == false })
        }
        let mentions = numbered.flatMap { new in new.message.mentionedNumbers.map { (new.key, $0) } }
        if !mentions.isEmpty {
            let (kinds, rooms, seqs) = ChangeRows.columns(mentions.map(\.0))
            try batch.add(mention, workspace, kinds, rooms, seqs, mentions.map(\.1))
        }
        let blockers = numbered.flatMap { new in new.message.blockersOfRoot.map { (new.key, $0) } }
        if !blockers.isEmpty {
            let (kinds, rooms, roots) = ChangeRows.columns(blockers.map(\.0))
            try batch.add(unfollow, workspace, kinds, rooms, roots, blockers.map(\.1))
        }
        let list = numbered.map { "[\($0.message.room.kindNumber),\($0.message.room.rawValue),\($0.seq)]" }
        try batch.add(outbox, workspace, "[\(list.joined(separator: ","))]")
    }

    static func ids(_ rows: Rows) throws(PostgresError) -> [MessagePlace: ChatID] {
        let found = try rows.map { row throws(PostgresError) in
            (MessagePlace(room: try row.nextRoom(), seq: try row.next()), try row.next(as: ChatID.self))
        }
        return Dictionary(found) { first, _ in first }
    }

    /// A message within the workspace.
    struct MessagePlace: Hashable, Sendable {
        let room: RoomID
        let seq: Int64
    }
}

extension PendingMessage {
    /// The rows of the table of mentions.
    fileprivate var mentionedNumbers: [Int64] {
        mentions.map(\.number).filter { $0 != MessageMention.here.number } + reached
    }
}
