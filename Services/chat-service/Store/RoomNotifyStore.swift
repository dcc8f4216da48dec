import Postgres
import Wire

/// The table of notification levels: one row a user and room.
struct RoomNotifyStore: Sendable {
    let database: PostgresPool

    private static let put = Statement.write(
        "put notification level",
        """
        insert into room_notify (user_id, workspace, kind, room, level, muted_until)
        values ($1, $2, $3, $4, $5, $6)
        on conflict on constraint room_notify_pkey do update
            set level = excluded.level, muted_until = excluded.muted_until
        returning workspace
        """)
    /// A row of the release 0.2.0 for a channel without messages has no workspace yet.
    private static let takeOut = Statement.write(
        "take out notification level without workspace",
        "delete from room_notify where workspace = 0 and user_id = $1 and kind = $2 and room = $3")
    /// Rows of the release 0.2.0 for channels without messages have the workspace 0.
    private static let ofUser = Statement.read(
        "notification levels of user",
        """
        select kind, room, level, muted_until from room_notify
        where user_id = $1 and (workspace = any($2::bigint[]) or workspace = 0) order by workspace desc
        """)

    func put(_ notify: RoomNotify, of user: UserID, in room: RoomKey) async throws {
        var batch = PostgresBatch()
        try Self.add(notify, of: user, in: room, to: &batch)
        if try await database.run(batch)[0].value(as: WorkspaceID.self) == room.workspace { return }
        // A distributed table does not let an update change the workspace, so the row is inserted anew.
        batch = PostgresBatch()
        try batch.add(Self.takeOut, user, room.kindNumber, room.rawValue)
        try Self.add(notify, of: user, in: room, to: &batch)
        try await database.run(batch)
    }

    private static func add(
        _ notify: RoomNotify, of user: UserID, in room: RoomKey, to batch: inout PostgresBatch
    ) throws(PostgresError) {
        try batch.add(
            put, user, room.workspace, room.kindNumber, room.rawValue, notify.level.rawValue,
            notify.mutedUntil?.milliseconds ?? 0)
    }

    /// The rooms of a user in workspaces that are not at their defaults.
    func list(of user: UserID, in workspaces: Set<WorkspaceID>) async throws -> [RoomID: RoomNotify] {
        let found = try await database.query(Self.ofUser, user, Array(workspaces)).map { row throws(PostgresError) in
            (try row.nextRoom(), try RoomNotify(row: &row))
        }
        // Where the primary key has the workspace, a room may have a row without one beside its own.
        return Dictionary(found) { own, _ in own }
    }
}

extension RoomNotify {
    /// Reads the columns level, muted_until.
    init(row: inout Row) throws(PostgresError) {
        level = Level(rawValue: try row.next()) ?? .all
        let until: Int64 = try row.next()
        mutedUntil = until == 0 ? nil : Timestamp(milliseconds: until)
    }
}
