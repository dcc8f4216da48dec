import Postgres
import Wire

/// The table of files.
struct FileRecordStore: Sendable {
    let database: PostgresPool

    private static let insert = Statement.write(
        "insert files",
        """
        insert into file (name, folder, kind, room, display_name, size, noted_at, is_sent)
        select *, $7, false
        from unnest($1::text[], $2::text[], $3::smallint[], $4::bigint[], $5::text[], $6::bigint[])
        """)
    /// A message's time is that of its commit, give or take what clocks and rooms run ahead. The messages of a room that
    /// have files are gone through once, not once for each file.
    private static let look = Statement.write(
        "look for messages of files",
        """
        with old as materialized (
            select name, folder, kind, room, display_name, size, noted_at
            from file where not is_sent and noted_at < $1 order by noted_at limit $2
        ), span as (
            select kind, room, min(noted_at) - 3600000 as first, max(noted_at) + 3600000 as last
            from old group by kind, room
        ), sent as materialized (
            select distinct substring(path from '[^_]*$') as name
            from span join message m on m.kind = span.kind and m.room = span.room
                and m.created_at between span.first and span.last and m.files <> '{}', unnest(m.files) as path
        ), settled as (
            update file set is_sent = true from old join sent using (name) where file.name = old.name
        )
        select name, folder, kind, room, display_name, size, sent.name is not null
        from old left join sent using (name)
        """)
    private static let find = Statement.read(
        "find files", "select name, folder, kind, room, display_name, size from file where name = any($1::text[])")
    private static let ofRoom = Statement.read(
        "files of room",
        "select name, folder, kind, room, display_name, size from file where kind = $1 and room = $2 limit $3")
    private static let remove = Statement.write("remove files", "delete from file where name = any($1::text[])")

    /// Notes files that are about to be stored.
    func insert(_ records: [FileRecord], at now: Timestamp) async throws {
        try await database.execute(
            Self.insert, records.map(\.name), records.map(\.folder), records.map(\.room.kindNumber),
            records.map(\.room.rawValue), records.map(\.displayName), records.map(\.size), now.milliseconds)
    }

    /// The oldest of the files noted before a moment of which it is not known whether a message refers to them: what a
    /// message refers to is marked so.
    ///
    /// - Returns: how many have been looked at, and those that no message refers to.
    func look(
        notedBefore moment: Timestamp, limit: Int
    ) async throws -> (count: Int, orphans: [FileRecord]) {
        let found = try await database.query(Self.look, moment.milliseconds, limit).map { row throws(PostgresError) in
            (record: try FileRecord(row: &row), isSent: try row.next(as: Bool.self))
        }
        return (found.count, found.filter { !$0.isSent }.map(\.record))
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
