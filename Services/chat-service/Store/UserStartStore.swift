import Contract
import Postgres
import Wire

/// Reads the rows of many users that a start of a `/me` socket needs beside the rooms themselves, in one round trip.
struct UserStartStore: Sendable {
    let database: PostgresPool
    let wide: WideReads
    /// The time limit of a read in a divided schema. A server that is out of reach may give no answer at all, and a gateway waits
    /// little longer before it asks once more.
    var limit = Duration.seconds(1)

    /// A user, and the workspaces of the user's channels.
    struct Reader: Hashable, Sendable {
        let user: UserID
        let workspaces: Set<WorkspaceID>
    }

    /// The rows of a user.
    struct Rows: Sendable {
        var settings = UserSettings()
        /// The DMs in all workspaces that the user has not left, oldest first.
        var dms: [DM] = []
        /// The rooms with levels or drafts.
        var rooms: [RoomID: OwnRoomState] = [:]
        /// The workspaces of the user's channels that are out of reach. Their rows are missing.
        var unavailable: Set<WorkspaceID> = []

        /// The channels in workspaces within reach.
        func readable(_ channels: [MyRoomsRequest.Channel]) -> [MyRoomsRequest.Channel] {
            unavailable.isEmpty ? channels : channels.filter { !unavailable.contains($0.workspace) }
        }
    }

    private static let settings = Statement.read(
        "settings of users",
        """
        select user_id, read_receipts, presence, typing, quiet_from, quiet_to, quiet_zone, keywords
        from user_settings where user_id = any($1::bigint[])
        """)
    private static let dms = Statement.read(
        "dms of users in all workspaces",
        """
        select low, id, workspace, low, high, created_at, low_has_left, high_has_left from dm
        where low = any($1::bigint[]) and not low_has_left
        union all
        select high, id, workspace, low, high, created_at, low_has_left, high_has_left from dm
        where high = any($1::bigint[]) and not high_has_left
        order by 6, 2
        """)
    private static let levels = Statement.read(
        "notification levels of users",
        "select user_id, kind, room, level, muted_until from room_notify where user_id = any($1::bigint[])")
    private static let drafts = Statement.read(
        "drafts of users",
        """
        select user_id, kind, room, thread, content, written_at from draft
        where user_id = any($1::bigint[]) and content <> '' order by user_id, kind, room, thread
        """)
    private static let dmsInWorkspace = Statement.read(
        "dms of users in workspace",
        """
        select low, id, workspace, low, high, created_at, low_has_left, high_has_left from dm
        where workspace = $2 and low = any($1::bigint[]) and not low_has_left
        union all
        select high, id, workspace, low, high, created_at, low_has_left, high_has_left from dm
        where workspace = $2 and high = any($1::bigint[]) and not high_has_left
        """)
    private static let levelsInWorkspace = Statement.read(
        "notification levels of users in workspace",
        """
        select user_id, kind, room, level, muted_until from room_notify
        where workspace = $2 and user_id = any($1::bigint[])
        """)
    private static let draftsInWorkspace = Statement.read(
        "drafts of users in workspace",
        """
        select user_id, kind, room, thread, content, written_at from draft
        where workspace = $2 and user_id = any($1::bigint[]) and content <> '' order by user_id, kind, room, thread
        """)

    /// The rows of all these users. While a part of a divided schema is out of reach, they have the rows of the workspaces with their
    /// channels that are within reach. Users are missing if a workspace was not read for want of a connection: a start without it would
    /// call it unavailable, and soon there is a right one.
    func rows(of readers: [Reader]) async throws -> [Reader: Rows] {
        let users = Array(Set(readers.map(\.user)))
        if let found = try await wide.attempt({ try await allRows(of: users) }) {
            return Dictionary(readers.map { ($0, found[$0.user] ?? Rows()) }) { first, _ in first }
        }
        return try await rowsByWorkspace(of: readers, users)
    }

    private func allRows(of users: [UserID]) async throws -> [UserID: Rows] {
        var batch = PostgresBatch()
        try batch.add(Self.settings, users)
        try batch.add(Self.dms, users)
        try batch.add(Self.levels, users)
        try batch.add(Self.drafts, users)
        let results = try await (wide.isDivided ? database.within(limit) : database).run(batch)
        var found = try Self.read(settings: results[0], of: users)
        try Self.read(results[1], results[2], results[3], into: &found)
        return found
    }

    private func rowsByWorkspace(of readers: [Reader], _ users: [UserID]) async throws -> [Reader: Rows] {
        var members: [WorkspaceID: Set<UserID>] = [:]
        for reader in readers {
            for workspace in reader.workspaces { members[workspace, default: []].insert(reader.user) }
        }
        let parts = try await wide.each(of: Array(members.keys)) { [members] workspace -> [Postgres.Rows] in
            let users = Array(members[workspace] ?? [])
            var batch = PostgresBatch()
            try batch.add(Self.dmsInWorkspace, users, workspace)
            try batch.add(Self.levelsInWorkspace, users, workspace)
            try batch.add(Self.draftsInWorkspace, users, workspace)
            // A transaction has a connection for itself, so that no workspace waits behind one without an answer.
            let (reads, pool) = (batch, database.within(limit))
            return try await pool.transaction { tx in try await tx.commit(after: reads) }
        }
        var found = try Self.read(settings: try await database.query(Self.settings, users), of: users)
        for results in parts.values { try Self.read(results[0], results[1], results[2], into: &found) }
        for user in users {
            found[user]?.dms.sort {
                ($0.createdAt.milliseconds, $0.id.rawValue) < ($1.createdAt.milliseconds, $1.id.rawValue)
            }
        }
        var rows: [Reader: Rows] = [:]
        for reader in readers {
            let missing = reader.workspaces.filter { parts[$0] == nil }
            guard wide.haveFailed(missing) else { continue }
            rows[reader] = found[reader.user] ?? Rows()
            rows[reader]?.unavailable = missing
        }
        return rows
    }

    private static func read(settings: Postgres.Rows, of users: [UserID]) throws -> [UserID: Rows] {
        var found = Dictionary(users.map { ($0, Rows()) }) { first, _ in first }
        for var row in settings {
            let user: UserID = try row.next()
            found[user]?.settings = try UserSettings(row: &row)
        }
        return found
    }

    /// Reads DMs, levels and drafts.
    private static func read(
        _ dms: Postgres.Rows, _ levels: Postgres.Rows, _ drafts: Postgres.Rows, into found: inout [UserID: Rows]
    ) throws {
        for var row in dms {
            let user: UserID = try row.next()
            found[user]?.dms.append(try DM(row: &row))
        }
        for var row in levels {
            let (user, room) = (try row.next(as: UserID.self), try row.nextRoom())
            found[user]?.rooms[room, default: OwnRoomState()].notify = try RoomNotify(row: &row)
        }
        for var row in drafts {
            let user: UserID = try row.next()
            let (room, draft) = try DraftStore.draft(&row)
            found[user]?.rooms[room, default: OwnRoomState()].drafts.append(draft)
        }
    }
}
