import Postgres
import Wire

/// The table of files.
struct FileRecordStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement(
        "insert files",
        """
        insert into file (name, folder, kind, room, display_name, size, noted_at, is_sent)
        select *, $7, false
        from unnest($1::text[], $2::text[], $3::smallint[], $4::bigint[], $5::text[], $6::bigint[])
        """)
    /// A message's time is that of its commit, give or take what clocks and rooms run ahead.
    private static let settle = Statement(
        "settle files",
        """
        update file set is_sent = true
        from (select name from file where not is_sent and noted_at < $1 order by noted_at limit $2) as old
        where file.name = old.name and exists (
            select 1 from message m, unnest(m.files) as path
            where m.kind = file.kind and m.room = file.room
                and m.created_at between file.noted_at - 3600000 and file.noted_at + 3600000
                and right(path, length(file.name)) = file.name)
        """)
    private static let orphans = Statement(
        "orphan files",
        """
        select name, folder, kind, room, display_name, size from file
        where not is_sent and noted_at < $1 and not exists (
            select 1 from message m, unnest(m.files) as path
            where m.kind = file.kind and m.room = file.room
                and m.created_at between file.noted_at - 3600000 and file.noted_at + 3600000
                and right(path, length(file.name)) = file.name)
        order by noted_at limit $2
        """)
    private static let find = Statement(
        "find files", "select name, folder, kind, room, display_name, size from file where name = any($1::text[])")
    private static let ofRoom = Statement(
        "files of room",
        "select name, folder, kind, room, display_name, size from file where kind = $1 and room = $2 limit $3")
    private static let remove = Statement("remove files", "delete from file where name = any($1::text[])")

    /// Notes files that are about to be stored.
    func insert(_ records: [FileRecord], at now: Timestamp) async throws {
        try await database.execute(
            Self.insert, records.map(\.name), records.map(\.folder), records.map(\.room.kindNumber),
            records.map(\.room.rawValue), records.map(\.displayName), records.map(\.size), now.milliseconds)
    }

    /// Marks files noted before a moment that messages refer to, and returns how many there were.
    func settle(notedBefore moment: Timestamp, limit: Int) async throws -> Int {
        try await database.execute(Self.settle, moment.milliseconds, limit)
    }

    /// Files noted before a moment that no message refers to.
    func orphans(notedBefore moment: Timestamp, limit: Int) async throws -> [FileRecord] {
        try await database.query(Self.orphans, moment.milliseconds, limit).map(FileRecord.init(row:))
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
