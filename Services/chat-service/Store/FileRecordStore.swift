import Postgres
import Wire

/// The table of files.
struct FileRecordStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement(
        "insert files",
        """
        insert into file (name, folder, kind, room, display_name, size)
        select * from unnest($1::text[], $2::text[], $3::smallint[], $4::bigint[], $5::text[], $6::bigint[])
        """)
    private static let find = Statement(
        "find files", "select name, folder, kind, room, display_name, size from file where name = any($1::text[])")
    private static let ofRoom = Statement(
        "files of room",
        "select name, folder, kind, room, display_name, size from file where kind = $1 and room = $2 limit $3")
    private static let remove = Statement("remove files", "delete from file where name = any($1::text[])")

    func insert(_ records: [FileRecord]) async throws {
        if records.isEmpty { return }
        try await database.execute(
            Self.insert, records.map(\.name), records.map(\.folder), records.map(\.room.kindNumber),
            records.map(\.room.rawValue), records.map(\.displayName), records.map(\.size))
    }

    func find(_ names: [String]) async throws -> [FileRecord] {
        try await database.query(Self.find, names).map(FileRecord.init(row:))
    }

    func list(_ room: RoomID, limit: Int) async throws -> [FileRecord] {
        try await database.query(Self.ofRoom, room.kindNumber, room.rawValue, limit).map(FileRecord.init(row:))
    }

    func remove(_ names: [String]) async throws { try await database.execute(Self.remove, names) }
}

extension FileRecord {
    /// name, folder, kind, room, display_name, size.
    fileprivate init(row: inout Row) throws(PostgresError) {
        name = try row.next()
        folder = try row.next()
        room = try row.nextRoom()
        displayName = try row.next()
        size = try row.next()
    }
}
