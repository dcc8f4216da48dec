import Contract
import Postgres
import Wire

/// Reads the pins and reactions of messages, the summaries of their threads, and the previews of their pictures.
struct MessageDetailStore: Sendable {
    let database: PostgresPool

    private static let pins = Statement.read(
        "pins of messages",
        """
        select workspace, kind, room, seq, pinned_at, pinned_by
        from pin join unnest((select $2::smallint[]), $3::bigint[], $4::bigint[]) as wanted (kind, room, seq)
            using (kind, room, seq)
        where workspace = any($1::bigint[])
        """)
    private static let reactions = Statement.read(
        "reactions of messages",
        """
        select workspace, kind, room, seq, emoji, count(*), (array_agg(user_id order by reacted_at, user_id))[1:$5],
            bool_or(user_id = $6)
        from reaction join unnest((select $2::smallint[]), $3::bigint[], $4::bigint[]) as wanted (kind, room, seq)
            using (kind, room, seq)
        where workspace = any($1::bigint[])
        group by workspace, kind, room, seq, emoji order by kind, room, seq, min(reacted_at), emoji
        """)

    private static let replies = Statement.read(
        "summaries of threads",
        """
        select workspace, kind, room, root, count, last_at, users
        from thread join unnest((select $2::smallint[]), $3::bigint[], $4::bigint[]) as wanted (kind, room, root)
            using (kind, room, root)
        where workspace = any($1::bigint[]) and count > 0
        """)
    private static let previews = Statement.read(
        "previews of messages",
        """
        select message.workspace, wanted.kind, wanted.room, wanted.seq, path, width, height, is_animated, blur
        from unnest((select $2::smallint[]), $3::bigint[], $4::bigint[]) as wanted (kind, room, seq)
        join message on message.workspace = any($1::bigint[]) and message.kind = wanted.kind and message.room = wanted.room
            and message.seq = wanted.seq, unnest(message.files) with ordinality as sent (path, place)
        join file on file.workspace = any($1) and file.name = substring(path from '[^_]*$') and file.blur is not null
        order by wanted.kind, wanted.room, wanted.seq, place
        """)

    private static let count = 4

    /// Adds four statements to a batch; `fill` reads their rows. In a schema that is divided by workspace, the messages are of one
    /// workspace.
    static func add(
        _ keys: [MessageKey], for reader: UserID? = nil, to batch: inout PostgresBatch
    ) throws(PostgresError) {
        let workspaces = keys.distinctWorkspaces
        let (kinds, rooms, seqs) = ChangeRows.columns(keys)
        try batch.add(pins, workspaces, kinds, rooms, seqs)
        try batch.add(
            reactions, workspaces, kinds, rooms, seqs, Int32(MessageReaction.shownUsers), reader ?? .system)
        try batch.add(replies, workspaces, kinds, rooms, seqs)
        try batch.add(previews, workspaces, kinds, rooms, seqs)
    }

    /// Fills in the details of messages from the results of the added statements.
    ///
    /// - Parameter reader: marks the reactions of this user; nil marks none.
    static func fill(
        _ messages: inout [StoredMessage], from results: some Collection<Rows>, for reader: UserID? = nil
    ) throws {
        let indices = Dictionary(messages.indices.map { (messages[$0].key, $0) }) { first, _ in first }
        for (place, rows) in results.enumerated() {
            for var row in rows {
                let index = indices[try row.nextMessageKey()]
                try read(&row, place % count, for: reader) { if let index { $0(&messages[index].details) } }
            }
        }
    }

    /// Reads a row of one of the four statements, and passes the change of its message's details to `change`.
    private static func read(
        _ row: inout Row, _ place: Int, for reader: UserID?, _ change: ((inout MessageDetails) -> Void) -> Void
    ) throws {
        switch place {
        case 0:
            let pin = MessagePin(at: try row.next(), by: try row.next())
            change { $0.pin = pin }
        case 1:
            let (emoji, count, users): (String, Int64, [UserID]) = (try row.next(), try row.next(), try row.next())
            let isMine: Bool = try row.next()
            change {
                $0.reactions.append(
                    MessageReaction(emoji: emoji, count: count, users: users, isMine: reader == nil ? nil : isMine))
            }
        case 2:
            let replies = RepliesSummary(count: try row.next(), lastAt: try row.next(), users: try row.next())
            change { $0.replies = replies }
        default:
            let (path, picture) = (try row.next(as: String.self), try PictureRecord(row: &row))
            change { $0.previews.append(picture.view(path)) }
        }
    }

    /// Fills in the details of those messages that have changed or have files. Costs nothing if there are none.
    func fill(_ messages: inout [StoredMessage], for readers: MessageDetails.Readers) async throws {
        let reader: UserID?
        switch readers {
        case .none: return
        case .all: reader = nil
        case .one(let user): reader = user
        }
        let detailed = messages.filter { $0.details.rev > 0 || !$0.files.isEmpty }.map(\.key)
        if detailed.isEmpty { return }
        var batch = PostgresBatch()
        for (_, keys) in detailed.byWorkspace { try Self.add(keys, for: reader, to: &batch) }
        try Self.fill(&messages, from: try await database.run(batch), for: reader)
    }
}
