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
        """)
    private static let ofUser = Statement.read(
        "notification levels of user", "select kind, room, level, muted_until from room_notify where user_id = $1")

    func put(_ notify: RoomNotify, of user: UserID, in room: RoomKey) async throws {
        try await database.execute(
            Self.put, user, room.workspace, room.kindNumber, room.rawValue, notify.level.rawValue,
            notify.mutedUntil?.milliseconds ?? 0)
    }

    /// The rooms of a user that are not at their defaults.
    func list(of user: UserID) async throws -> [RoomID: RoomNotify] {
        let found = try await database.query(Self.ofUser, user).map { row throws(PostgresError) in
            (try row.nextRoom(), try RoomNotify(row: &row))
        }
        return Dictionary(uniqueKeysWithValues: found)
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
