import Contract
import Postgres
import Wire

/// Reads the pins and reactions of messages, the summaries of their threads, and the previews of their pictures.
struct MessageDetailStore: Sendable {
    let database: PostgresPool

    private static let pins = Statement.read(
        "pins of messages",
        """
        select kind, room, seq, pinned_at, pinned_by
        from pin join unnest($1::smallint[], $2::bigint[], $3::bigint[]) as wanted (kind, room, seq)
            using (kind, room, seq)
        """)
    private static let reactions = Statement.read(
        "reactions of messages",
        """
        select kind, room, seq, emoji, count(*), (array_agg(user_id order by reacted_at, user_id))[1:$4],
            bool_or(user_id = $5)
        from reaction join unnest($1::smallint[], $2::bigint[], $3::bigint[]) as wanted (kind, room, seq)
            using (kind, room, seq)
        group by kind, room, seq, emoji order by kind, room, seq, min(reacted_at), emoji
        """)

    private static let replies = Statement.read(
        "summaries of threads",
        """
        select kind, room, root, count, last_at, users
        from thread join unnest($1::smallint[], $2::bigint[], $3::bigint[]) as wanted (kind, room, root)
            using (kind, room, root)
        where count > 0
        """)
    private static let previews = Statement.read(
        "previews of messages",
        """
        select wanted.kind, wanted.room, wanted.seq, path, width, height, is_animated, blur
        from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as wanted (kind, room, seq)
        join message using (kind, room, seq), unnest(message.files) with ordinality as sent (path, place)
        join file on file.name = substring(path from '[^_]*$') and file.blur is not null
        order by wanted.kind, wanted.room, wanted.seq, place
        """)

    /// Adds the statements to a batch. Their rows are the last four of its results.
    static func add(
        _ keys: [MessageKey], for reader: UserID? = nil, to batch: inout PostgresBatch
    ) throws(PostgresError) {
        let (kinds, rooms, seqs) = (keys.map(\.room.kindNumber), keys.map(\.room.rawValue), keys.map(\.seq))
        try batch.add(pins, kinds, rooms, seqs)
        try batch.add(reactions, kinds, rooms, seqs, Int32(MessageReaction.shownUsers), reader ?? .system)
        try batch.add(replies, kinds, rooms, seqs)
        try batch.add(previews, kinds, rooms, seqs)
    }

    /// Fills in the details of messages from the last four results of a batch.
    ///
    /// - Parameter reader: marks the reactions of this user; nil marks none.
    static func fill(_ messages: inout [StoredMessage], from results: [Rows], for reader: UserID? = nil) throws {
        guard results.count >= 4 else { throw Failure.serverError }
        let indices = Dictionary(messages.indices.map { (messages[$0].key, $0) }) { first, _ in first }
        for var row in results[results.count - 4] {
            let index = indices[try row.nextMessageKey()]
            let pin = MessagePin(at: try row.next(), by: try row.next())
            if let index { messages[index].details.pin = pin }
        }
        for var row in results[results.count - 3] {
            let index = indices[try row.nextMessageKey()]
            let (emoji, count, users): (String, Int64, [UserID]) = (try row.next(), try row.next(), try row.next())
            let isMine: Bool = try row.next()
            if let index {
                messages[index].details.reactions.append(
                    MessageReaction(emoji: emoji, count: count, users: users, isMine: reader == nil ? nil : isMine))
            }
        }
        for var row in results[results.count - 2] {
            let index = indices[try row.nextMessageKey()]
            let replies = RepliesSummary(count: try row.next(), lastAt: try row.next(), users: try row.next())
            if let index { messages[index].details.replies = replies }
        }
        for var row in results[results.count - 1] {
            let index = indices[try row.nextMessageKey()]
            let (path, picture) = (try row.next(as: String.self), try PictureRecord(row: &row))
            if let index { messages[index].details.previews.append(picture.view(path)) }
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
        try Self.add(detailed, for: reader, to: &batch)
        try Self.fill(&messages, from: try await database.run(batch), for: reader)
    }
}
