import Contract
import Postgres
import ServiceKit
import Wire

/// The rows of a user, for the export of their data. Messages, their earlier texts and files are read room by room, because
/// messages have no index by author.
struct ExportStore: Sendable {
    private let database: PostgresPool
    /// The sections that do not go room by room.
    let tables: ExportTables

    private static let messages = Statement.read(
        "exported messages",
        """
        select seq::text, json_build_object(
            'room', export_room(kind, room), 'seq', seq, 'content', content, 'files', files, 'thread', thread,
            'createdAt', export_time(created_at), 'editedAt', export_time(edited_at), 'client_id', client_id,
            'scheduled', is_scheduled)::text, null::text
        from message
        where kind = $1 and room = $2 and seq > $3 and seq <= $4 and author = $5 and deleted_at is null
        order by message.seq limit $6
        """)
    private static let versions = Statement.read(
        "exported versions",
        """
        select seq || ',' || id, json_build_object(
            'room', export_room(kind, room), 'seq', seq, 'content', content, 'writtenAt', export_time(written_at))::text,
            null::text
        from message_version
        where kind = $1 and room = $2 and written_by = $3 and (seq, id) > (
            coalesce(nullif(split_part($4::text, ',', 1), ''), '0')::bigint,
            coalesce(nullif(split_part($4::text, ',', 2), ''), '0')::bigint)
        order by seq, id limit $5
        """)
    private static let files = Statement.read(
        "exported files",
        """
        select name, json_build_object(
            'room', export_room(kind, room), 'name', display_name, 'size', size, 'storedAt', export_time(noted_at),
            'entry', 'files/' || folder || '/' || name)::text, folder || '/' || name
        from file where kind = $1 and room = $2 and author = $3 and name > $4::text order by name limit $5
        """)
    private static let head = Statement.read(
        "head of exported room", "select last_seq from room where kind = $1 and id = $2")
    private static let owns = Statement.read(
        "author of exported file",
        "select count(*) > 0 from file where name = $1 and folder = $2 and author = $3")

    init(database: PostgresPool) {
        self.database = database
        tables = ExportTables(ExportStore.sections, in: database)
    }

    /// The user's messages in a room among the `span` messages after a seq, and where the next call goes on; nil at the end
    /// of the room.
    func messages(
        of user: UserID, in room: RoomID, after seq: Int64, span: Int64, limit: Int
    ) async throws -> (rows: [ExportRow], next: Int64?) {
        let head = try await database.query(Self.head, room.kindNumber, room.rawValue).first {
            row throws(PostgresError) in
            try row.next(as: Int64.self)
        }
        guard let head, seq < head else { return ([], nil) }
        let rows = try await database.query(
            Self.messages, room.kindNumber, room.rawValue, seq, seq + span, user, limit
        ).map(ExportRow.init(row:))
        let end = rows.count == limit ? rows.last.flatMap { Int64($0.key) } ?? head : seq + span
        return (rows, end < head ? end : nil)
    }

    /// The earlier texts of the user's messages in a room, in the order of their keys.
    func versions(of user: UserID, in room: RoomID, after key: String, limit: Int) async throws -> [ExportRow] {
        try await database.query(Self.versions, room.kindNumber, room.rawValue, user, key, limit)
            .map(ExportRow.init(row:))
    }

    /// The files that the user has sent to a room.
    func files(of user: UserID, in room: RoomID, after key: String, limit: Int) async throws -> [ExportRow] {
        try await database.query(Self.files, room.kindNumber, room.rawValue, user, key, limit)
            .map(ExportRow.init(row:))
    }

    /// Whether a file in the store is one that the user has sent.
    func isFile(_ name: String, of user: UserID) async throws -> Bool {
        let parts = name.split(separator: "/").map(String.init)
        guard parts.count == 2 else { return false }
        return try await database.query(Self.owns, parts[1], parts[0], user).value()
    }
}
