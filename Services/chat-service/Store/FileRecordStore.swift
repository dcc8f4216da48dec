import Postgres
import Wire

/// The table of files.
struct FileRecordStore: Sendable {
    let database: PostgresPool
    /// Nil for tables on one server.
    var finder: WorkspaceFinder?

    private static let insert = Statement.write(
        "insert files",
        """
        insert into file (name, folder, kind, room, display_name, size, noted_at, is_sent, author, workspace)
        select *, $7, false, $8, $9
        from unnest($1::text[], $2::text[], $3::smallint[], $4::bigint[], $5::text[], $6::bigint[])
        """)
    /// Looks for messages from an hour before the file on, since a message's time is that of its commit and clocks differ, and
    /// a scheduled message may be sent much later. Scans a room's messages with files once, not once for each file. The files
    /// of scheduled messages belong to them.
    private static let findOrphans = Statement.write(
        "look for messages of files",
        """
        with old as materialized (
            select name, folder, workspace, kind, room, display_name, size, noted_at
            from file where workspace = $3 and not is_sent and noted_at < $1 order by noted_at limit $2
        ), span as (
            select kind, room, min(noted_at) - 3600000 as first
            from old group by kind, room
        ), sent as materialized (
            select distinct substring(path from '[^_]*$') as name
            from span join message m on m.workspace = $3 and m.kind = span.kind and m.room = span.room
                and m.created_at >= span.first and m.files <> '{}', unnest(m.files) as path
            union
            select substring(path from '[^_]*$')
            from span join scheduled s using (kind, room), unnest(s.files) as path
            where s.workspace = $3 and s.files <> '{}'
        ), settled as (
            update file set is_sent = true from old join sent using (name)
            where file.workspace = $3 and file.name = old.name
        )
        select name, folder, workspace, kind, room, display_name, size, sent.name is not null
        from old left join sent using (name)
        """)
    private static let unsent = Statement.read(
        "workspaces with unsent files", "select distinct workspace from file where not is_sent and noted_at < $1")
    private static let unsentAmong = Statement.read(
        "workspaces with unsent files among some",
        """
        select distinct workspace from file where workspace = any($2::bigint[]) and not is_sent and noted_at < $1
        """)
    private static let find = Statement.read(
        "find files",
        "select name, folder, workspace, kind, room, display_name, size from file where name = any($1::text[])")
    private static let findInWorkspace = Statement.read(
        "find files of workspace",
        """
        select name, folder, workspace, kind, room, display_name, size from file
        where workspace = $2 and name = any($1::text[])
        """)
    private static let setPreview = Statement.write(
        "set preview of file",
        """
        update file set width = $2, height = $3, is_animated = $4, blur = $5 where workspace = $6 and name = $1
        """)
    private static let previews = Statement.read(
        "previews of files",
        """
        select name, width, height, is_animated, blur from file
        where workspace = $2 and name = any($1::text[]) and blur is not null
        """)
    private static let bytesOfUser = Statement.read(
        "bytes of user's files", "select bytes from storage where kind = 1 and id = $1")
    private static let ofRoom = Statement.read(
        "files of room",
        "select name, folder, workspace, kind, room, display_name, size from file where workspace = $4 and kind = $1 and room = $2 limit $3"
    )
    /// The totals of a user (kind 1) and a workspace (kind 2), locked in this order until the transaction ends.
    private static let charge = Statement.write(
        "add to storage",
        """
        insert into storage (kind, id, bytes) values (1, $1::bigint, $3::bigint), (2, $2::bigint, $3::bigint)
        on conflict (kind, id) do update set bytes = storage.bytes + excluded.bytes
        returning bytes
        """)
    /// Locks the totals in the order in which a charge locks them.
    private static let remove = Statement.write(
        "remove files",
        """
        delete from file where workspace = $1 and name = any($2::text[]) returning author, size
        """)
    private static let refund = Statement.write(
        "take from storage",
        """
        with freed as materialized (
            select kind, id, sum(bytes)::bigint as bytes
            from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as freed (kind, id, bytes) group by kind, id
        ), locked as materialized (
            select kind, id from storage where (kind, id) in (select kind, id from freed) order by kind, id for update
        )
        update storage set bytes = storage.bytes - freed.bytes from freed join locked using (kind, id)
        where storage.kind = freed.kind and storage.id = freed.id
        """)

    private static let markRemoved = Statement.write(
        "mark removed files",
        """
        update file set is_removed = true
        where workspace = $1 and name in (
            select name from file where workspace = $1 and name = any($2::text[]) order by name for update)
        """)
    private static let held = Statement.read(
        "files that reports hold",
        "select distinct name from report_file where workspace = $1 and name = any($2::text[])")

    /// Records files that are about to be stored, and adds their sizes to the totals of their author and workspace.
    /// Throws if a total exceeds its limit.
    func insert(
        _ records: [FileRecord], of author: UserID, in workspace: WorkspaceID, within limits: StorageLimits,
        at now: Timestamp
    ) async throws {
        let size = records.reduce(0) { $0 + $1.size }
        try await database.transaction(attempts: 3) { tx in
            let totals = try await tx.query(Self.charge, author, workspace, size)
                .map { row throws(PostgresError) in try row.next(as: Int64.self) }
            try limits.check(ofUser: totals[0], ofWorkspace: totals[1])
            try await tx.execute(
                Self.insert, records.map(\.name), records.map(\.folder), records.map(\.room.kindNumber),
                records.map(\.room.rawValue), records.map(\.displayName), records.map(\.size), now.milliseconds,
                author, workspace)
        }
    }

    /// Calls `work` for each workspace with unsent files that were recorded before a moment. While a part of a divided schema is out
    /// of reach, its are left out.
    func eachWorkspace(
        withUnsentFilesBefore moment: Timestamp, _ work: (WorkspaceID) async throws -> Void
    ) async throws {
        let leases = WorkspaceLeaseStore(database: database, finder: finder)
        let workspaces = try await leases.workspaces(by: Self.unsent, among: Self.unsentAmong, before: moment)
        try await leases.each(of: workspaces, for: .files, work)
    }

    /// Checks the oldest unsent files of a workspace that were recorded before a moment, and marks those that a message refers to as
    /// sent.
    ///
    /// - Returns: the number of checked files, and the files that no message refers to.
    func findOrphans(
        of workspace: WorkspaceID, notedBefore moment: Timestamp, limit: Int
    ) async throws -> (checked: Int, orphans: [FileRecord]) {
        let found = try await database.query(Self.findOrphans, moment.milliseconds, limit, workspace).map {
            row throws(PostgresError) in
            (record: try FileRecord(row: &row), isSent: try row.next(as: Bool.self))
        }
        return (found.count, found.filter { !$0.isSent }.map(\.record))
    }

    func find(_ names: [String]) async throws -> [FileRecord] {
        try await database.query(Self.find, names).map(FileRecord.init(row:))
    }

    /// Those of the files that are of a workspace. On one server they are found without it.
    func find(_ names: [String], in workspace: WorkspaceID) async throws -> [FileRecord] {
        if finder == nil { return try await find(names) }
        return try await database.query(Self.findInWorkspace, names, workspace).map(FileRecord.init(row:))
    }

    /// Records the previews of a picture.
    func setPreview(_ picture: PictureRecord, of name: String, in workspace: WorkspaceID) async throws {
        try await database.execute(
            Self.setPreview, name, Int32(clamping: picture.width), Int32(clamping: picture.height), picture.isAnimated,
            picture.blur, workspace)
    }

    /// The previews of those files that have some, by name.
    func previews(_ names: [String], in workspace: WorkspaceID) async throws -> [String: PictureRecord] {
        let found = try await database.query(Self.previews, names, workspace).map { row throws(PostgresError) in
            (try row.next(as: String.self), try PictureRecord(row: &row))
        }
        return Dictionary(found) { first, _ in first }
    }

    /// The bytes of all files of a user.
    func bytes(of user: UserID) async throws -> Int64 {
        try await database.query(Self.bytesOfUser, user).first { row throws(PostgresError) in try row.next() } ?? 0
    }

    func list(_ room: RoomKey, limit: Int) async throws -> [FileRecord] {
        try await database.query(Self.ofRoom, room.kindNumber, room.rawValue, limit, room.workspace).map(
            FileRecord.init(row:))
    }

    /// Marks files whose removal begins, so that no report can hold them any more. Returns those that a report holds already.
    func beginRemoval(of names: [String], in workspace: WorkspaceID) async throws -> Set<String> {
        try await database.transaction { tx in
            var batch = PostgresBatch()
            try batch.add(Self.markRemoved, workspace, names)
            // A separate statement sees the commits that were made during the wait for the lock.
            try batch.add(Self.held, workspace, names)
            return Set(try await tx.run(batch)[1].map { row throws(PostgresError) in try row.next(as: String.self) })
        }
    }

    /// Removes records, and takes their sizes from the totals. The workspace of an older file may be unknown: 0.
    func remove(_ names: [String], in workspace: WorkspaceID) async throws {
        try await database.transaction(attempts: 3) { tx in
            let gone = try await tx.query(Self.remove, workspace, names).map { row throws(PostgresError) in
                (author: try row.next(as: UserID?.self), size: try row.next(as: Int64.self))
            }
            if gone.isEmpty { return }
            let ofUsers = gone.compactMap { file in file.author.map { ($0.rawValue, file.size) } }
            let ofWorkspace = gone.reduce(0) { $0 + $1.size }
            let kinds = ofUsers.map { _ in Int16(1) } + [2]
            try await tx.execute(
                Self.refund, kinds, ofUsers.map(\.0) + [workspace.rawValue], ofUsers.map(\.1) + [ofWorkspace])
        }
    }
}

extension FileRecord {
    /// Reads the columns name, folder, workspace, kind, room, display_name, size.
    init(row: inout Row) throws(PostgresError) {
        name = try row.next()
        folder = try row.next()
        workspace = try row.next()
        room = try row.nextRoom()
        displayName = try row.next()
        size = try row.next()
    }
}

extension PictureRecord {
    /// Reads the columns width, height, is_animated, blur.
    init(row: inout Row) throws(PostgresError) {
        self.init(
            width: Int(try row.next(as: Int32.self)), height: Int(try row.next(as: Int32.self)),
            isAnimated: try row.next(), blur: try row.next())
    }
}
