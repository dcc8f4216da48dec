import Contract
import Postgres
import Wire

/// Reads changed messages, their earlier texts, and pins.
struct ChangeStore: Sendable {
    let database: PostgresPool
    let details: MessageDetailStore

    /// Changed messages by revision.
    struct Page: Sendable {
        let messages: [StoredMessage]
        /// The page accounts for all changes up to this revision.
        let rev: Int64
        /// The room's revision.
        let head: Int64
    }

    /// An earlier text of a message.
    struct Version: Sendable {
        let id: Int64
        let content: String
        let writtenAt: Timestamp
        let writtenBy: UserID
    }

    private static let head = Statement.read(
        "revision of room", "select rev from room where workspace = $1 and kind = $2 and id = $3")
    /// Ends once the content of the page has `$5` bytes.
    private static let changes = Statement.read(
        "changes after",
        """
        select seq, id, author, session, content, files, created_at, client_id, rev, edited_at, deleted_at, thread,
            is_aside, mentions, is_scheduled
        from (
            select message.seq, message.id, author, session, content, files, created_at, client_id, message.rev, edited_at,
                deleted_at, thread, is_aside, mentions, is_scheduled,
                sum(octet_length(content)) over (order by change.rev rows unbounded preceding)
                - octet_length(content) as before
            from (
                select * from message_change
                where workspace = $1 and kind = $2 and room = $3 and rev > $4 order by rev limit $5
            ) as change join message using (workspace, kind, room, seq)
            where message.workspace = $1
        ) as page
        where before < $6 order by rev
        """)
    private static let one = Statement.read(
        "message",
        """
        select seq, id, author, session, content, files, created_at, client_id, rev, edited_at, deleted_at, thread,
            is_aside, mentions, is_scheduled
        from message where workspace = $1 and kind = $2 and room = $3 and seq = $4
        """)
    private static let versions = Statement.read(
        "earlier texts",
        """
        select id, content, written_at, written_by from message_version
        where workspace = $1 and kind = $2 and room = $3 and seq = $4 and id > $5 order by id limit $6
        """)
    private static let pinned = Statement.read(
        "pins of room",
        """
        select message.seq, message.id, author, session, content, files, created_at, client_id, rev, edited_at, deleted_at,
            thread, is_aside, mentions, is_scheduled
        from (
            select * from pin where workspace = $1 and kind = $2 and room = $3 and (pinned_at, seq) < ($4, $5)
            order by pinned_at desc, seq desc limit $6
        ) as pin join message using (workspace, kind, room, seq)
        where message.workspace = $1
        order by pinned_at desc, seq desc
        """)

    /// The messages that changed after a revision, each once. Ends after `limit` messages, or once their content has
    /// `bytes` bytes.
    func page(
        of room: RoomKey, after: Int64, limit: Int, bytes: Int = 256 * 1024, for readers: MessageDetails.Readers
    ) async throws -> Page {
        // The revision is read first: changes that are committed meanwhile may be on the page, and do no harm there.
        var batch = PostgresBatch()
        try batch.add(Self.head, room.workspace, room.kindNumber, room.rawValue)
        try batch.add(Self.changes, room.workspace, room.kindNumber, room.rawValue, after, limit + 1, bytes)
        let results = try await database.run(batch)
        let head = try results[0].first { row throws(PostgresError) in try row.next(as: Int64.self) } ?? 0
        var found = try results[1].map { row throws(PostgresError) in
            try StoredMessage(room: room, row: &row)
        }
        let size = found.reduce(0) { $0 + $1.content.utf8.count }
        let isLast = found.count <= limit && size < bytes
        if found.count > limit { found.removeLast() }
        try await details.fill(&found, for: readers)
        let end = found.last?.details.rev ?? 0
        return Page(messages: found, rev: isLast ? max(head, end) : end, head: max(head, end))
    }

    /// One message; nil if there is none.
    func find(_ key: MessageKey, for readers: MessageDetails.Readers) async throws -> StoredMessage? {
        var found = try await database.query(Self.one, key.workspace, key.kindNumber, key.roomNumber, key.seq)
            .map { row throws(PostgresError) in try StoredMessage(room: key.roomKey, row: &row) }
        try await details.fill(&found, for: readers)
        return found.first
    }

    /// The earlier texts of a message after the one with the id `after`, oldest first.
    func versions(of key: MessageKey, after: Int64, limit: Int) async throws -> [Version] {
        try await database.query(Self.versions, key.workspace, key.kindNumber, key.roomNumber, key.seq, after, limit)
            .map {
                row throws(PostgresError) in
                Version(
                    id: try row.next(), content: try row.next(), writtenAt: try row.next(), writtenBy: try row.next())
            }
    }

    /// Pinned messages of a room, newest pin first, below a pin with this time and seq.
    func pins(
        of room: RoomKey, before: (time: Int64, seq: Int64), limit: Int, for readers: MessageDetails.Readers
    ) async throws -> [StoredMessage] {
        var found = try await database.query(
            Self.pinned, room.workspace, room.kindNumber, room.rawValue, before.time, before.seq, limit
        ).map { row throws(PostgresError) in try StoredMessage(room: room, row: &row) }
        try await details.fill(&found, for: readers)
        return found
    }
}
