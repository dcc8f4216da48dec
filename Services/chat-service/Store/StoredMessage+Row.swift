import Contract
import Postgres
import Wire

extension StoredMessage {
    /// Reads the columns seq, id, author, session, content, files, created_at, client_id, rev, edited_at, deleted_at, thread,
    /// is_aside, mentions, is_scheduled.
    init(room: RoomKey, row: inout Row) throws(PostgresError) {
        self.room = room.id
        workspace = room.workspace
        seq = try row.next()
        id = try row.next()
        author = try row.next()
        session = try row.next()
        content = try row.next()
        files = try row.next()
        createdAt = try row.next()
        clientID = try row.next()
        details = MessageDetails(
            rev: try row.next(), editedAt: try row.next(), deletedAt: try row.next())
        traits = try MessageTraits(row: &row)
    }
}

extension MessageTraits {
    /// Reads the columns thread, is_aside, mentions, is_scheduled; nil for a message without them.
    fileprivate convenience init?(row: inout Row) throws(PostgresError) {
        let (root, isAside): (Int64?, Bool) = (try row.next(), try row.next())
        let (mentions, isScheduled): ([Int64]?, Bool) = (try row.next(), try row.next())
        guard root != nil || mentions != nil || isScheduled else { return nil }
        self.init(
            thread: root.map { ReplyThread(root: $0, isInTimeline: !isAside) },
            mentions: (mentions ?? []).map(MessageMention.init(number:)), isScheduled: isScheduled)
    }
}
