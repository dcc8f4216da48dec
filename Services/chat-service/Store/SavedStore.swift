import Contract
import Postgres
import Wire

/// The table of bookmarks.
struct SavedStore: Sendable {
    let database: PostgresPool

    /// A bookmark of a user.
    struct Bookmark: Sendable {
        let id: Int64
        let key: MessageKey
        let savedAt: Timestamp
    }

    private static let save = Statement.write(
        "save message",
        """
        insert into saved_message (user_id, workspace, kind, room, seq, saved_at)
        select $1, workspace, kind, room, seq, $6 from message
        where workspace = $2 and kind = $3 and room = $4 and seq = $5 and deleted_at is null
        on conflict on constraint saved_once do nothing
        """)
    private static let forget = Statement.write(
        "forget saved message",
        """
        delete from saved_message where user_id = $1 and workspace = $2 and kind = $3 and room = $4 and seq = $5
        """)
    private static let list = Statement.read(
        "saved messages",
        """
        select id, workspace, kind, room, seq, saved_at from saved_message
        where user_id = $1 and id < $2 order by id desc limit $3
        """)

    /// Saves a message. A message that is saved already stays where it is in the list.
    func save(_ key: MessageKey, for user: UserID, at now: Timestamp) async throws {
        try await database.execute(
            Self.save, user, key.workspace, key.kindNumber, key.roomNumber, key.seq, now.milliseconds)
    }

    func forget(_ key: MessageKey, for user: UserID) async throws {
        try await database.execute(Self.forget, user, key.workspace, key.kindNumber, key.roomNumber, key.seq)
    }

    /// A user's bookmarks before the one with the id `before`, newest first.
    func list(_ user: UserID, before: Int64, limit: Int) async throws -> [Bookmark] {
        try await database.query(Self.list, user, before, limit).map { row throws(PostgresError) in
            Bookmark(id: try row.next(), key: try row.nextMessageKey(), savedAt: try row.next())
        }
    }
}
