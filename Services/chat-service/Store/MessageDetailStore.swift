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

    /// The details that one statement reads.
    private enum Part: CaseIterable { case pins, reactions, replies, previews }

    /// Adds four statements to a batch; `fill` reads their rows. In a schema that is divided by workspace, the messages are of one
    /// workspace.
    static func add(_ keys: [MessageKey], to batch: inout PostgresBatch) throws(PostgresError) {
        try add(Part.allCases, of: keys, for: nil, to: &batch)
    }

    private static func add(
        _ parts: some Sequence<Part>, of keys: [MessageKey], for reader: UserID?, to batch: inout PostgresBatch
    ) throws(PostgresError) {
        let workspaces = keys.distinctWorkspaces
        let (kinds, rooms, seqs) = ChangeRows.columns(keys)
        for part in parts {
            switch part {
            case .pins: try batch.add(pins, workspaces, kinds, rooms, seqs)
            case .reactions:
                try batch.add(
                    reactions, workspaces, kinds, rooms, seqs, Int32(MessageReaction.shownUsers), reader ?? .system)
            case .replies: try batch.add(replies, workspaces, kinds, rooms, seqs)
            case .previews: try batch.add(previews, workspaces, kinds, rooms, seqs)
            }
        }
    }

    /// Fills in the details of messages from the results of the added statements.
    static func fill(_ messages: inout [StoredMessage], from results: some Collection<Rows>) throws {
        let parts = repeatElement(Part.allCases, count: results.count / Part.allCases.count).joined()
        try fill(&messages, from: zip(parts, results), for: nil)
    }

    /// - Parameter reader: marks the reactions of this user; nil marks none.
    private static func fill(
        _ messages: inout [StoredMessage], from results: some Sequence<(Part, Rows)>, for reader: UserID?
    ) throws {
        let indices = Dictionary(messages.indices.map { (messages[$0].key, $0) }) { first, _ in first }
        for (part, rows) in results {
            for var row in rows {
                let index = indices[try row.nextMessageKey()]
                try read(&row, part, for: reader) { if let index { $0(&messages[index].details) } }
            }
        }
    }

    /// Reads a row of one of the statements, and passes the change of its message's details to `change`.
    private static func read(
        _ row: inout Row, _ part: Part, for reader: UserID?, _ change: ((inout MessageDetails) -> Void) -> Void
    ) throws {
        switch part {
        case .pins:
            let pin = MessagePin(at: try row.next(), by: try row.next())
            change { $0.pin = pin }
        case .reactions:
            let (emoji, count, users): (String, Int64, [UserID]) = (try row.next(), try row.next(), try row.next())
            let isMine: Bool = try row.next()
            change {
                $0.reactions.append(
                    MessageReaction(emoji: emoji, count: count, users: users, isMine: reader == nil ? nil : isMine))
            }
        case .replies:
            let replies = RepliesSummary(count: try row.next(), lastAt: try row.next(), users: try row.next())
            change { $0.replies = replies }
        case .previews:
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
        var (parts, batch): ([Part], PostgresBatch) = ([], PostgresBatch())
        for (_, some) in messages.filter({ $0.details.rev > 0 }).map(\.key).byWorkspace {
            let ofChanged: [Part] = [.pins, .reactions, .replies]
            try Self.add(ofChanged, of: some, for: reader, to: &batch)
            parts += ofChanged
        }
        for (_, some) in messages.filter({ !$0.files.isEmpty }).map(\.key).byWorkspace {
            try Self.add([.previews], of: some, for: reader, to: &batch)
            parts.append(.previews)
        }
        if parts.isEmpty { return }
        try Self.fill(&messages, from: zip(parts, try await database.run(batch)), for: reader)
    }
}
