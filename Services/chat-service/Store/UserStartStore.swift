import Contract
import Postgres
import Wire

/// Reads the rows of many users that a start of a `/me` socket needs beside the rooms themselves, in one round trip.
struct UserStartStore: Sendable {
    let database: PostgresPool

    /// The rows of a user.
    struct Rows: Sendable {
        var settings = UserSettings()
        /// The DMs in all workspaces that the user has not left, oldest first.
        var dms: [DM] = []
        /// The rooms with levels or drafts.
        var rooms: [RoomID: OwnRoomState] = [:]
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

    /// The rows of all these users.
    func rows(of users: [UserID]) async throws -> [UserID: Rows] {
        var batch = PostgresBatch()
        try batch.add(Self.settings, users)
        try batch.add(Self.dms, users)
        try batch.add(Self.levels, users)
        try batch.add(Self.drafts, users)
        let results = try await database.run(batch)
        var found = Dictionary(users.map { ($0, Rows()) }) { first, _ in first }
        for var row in results[0] {
            let user: UserID = try row.next()
            found[user]?.settings = try UserSettings(row: &row)
        }
        for var row in results[1] {
            let user: UserID = try row.next()
            found[user]?.dms.append(try DM(row: &row))
        }
        for var row in results[2] {
            let (user, room) = (try row.next(as: UserID.self), try row.nextRoom())
            found[user]?.rooms[room, default: OwnRoomState()].notify = try RoomNotify(row: &row)
        }
        for var row in results[3] {
            let user: UserID = try row.next()
            let (room, draft) = try DraftStore.draft(&row)
            found[user]?.rooms[room, default: OwnRoomState()].drafts.append(draft)
        }
        return found
    }
}
