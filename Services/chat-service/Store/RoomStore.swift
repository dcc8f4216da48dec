import Contract
import Postgres
import Wire

/// The table of rooms, and who was taken out of them.
struct RoomStore: Sendable {
    let database: PostgresPool

    private static let ofWorkspace = Statement(
        "rooms of workspace",
        """
        select kind, id from room where workspace = $1
        union
        select 2, id from dm where workspace = $1
        """)
    private static let lock = Statement(
        "lock room", "select last_seq, is_closed from room where kind = $1 and id = $2 for update")
    private static let remove = Statement(
        "note removal",
        """
        insert into removal (kind, room, user_id, after_seq, version) values ($1, $2, $3, $4, $5)
        on conflict (kind, room, user_id) do update set after_seq = excluded.after_seq, version = excluded.version
        where removal.version < excluded.version
        returning after_seq
        """)
    private static let close = Statement(
        "close room",
        """
        insert into room (kind, id, workspace, is_closed) values ($1, $2, $3, true)
        on conflict (kind, id) do update set is_closed = true
        returning last_seq
        """)
    private static let eraseMessages = Statement(
        "erase messages",
        """
        delete from message where (kind, room, seq) in
            (select kind, room, seq from message where kind = $1 and room = $2 limit 5000)
        """)
    private static let eraseRest = Statement(
        "erase read positions", "delete from read_position where kind = $1 and room = $2")
    private static let eraseRemovals = Statement(
        "erase removals", "delete from removal where kind = $1 and room = $2")
    private static let eraseDM = Statement("erase dm", "delete from dm where id = $1")

    /// All rooms of a workspace, DMs without a message included.
    func list(_ workspace: WorkspaceID) async throws -> [RoomID] {
        try await database.query(Self.ofWorkspace, workspace).map { row throws(PostgresError) in try row.nextRoom() }
    }

    /// Gives a removal its place, behind the room's newest message, unless a later version has been heard of,
    /// or the room is closed and nobody is in it.
    ///
    /// - Parameter telling: tells of the place while the room is still locked, so that no message
    ///   behind it is told first.
    func remove(
        _ user: UserID, from room: RoomID, version: Int64, telling: @Sendable (_ after: Int64) async -> Void
    ) async throws {
        try await database.transaction { tx in
            let state = try await tx.query(Self.lock, room.kindNumber, room.rawValue)
                .first { row throws(PostgresError) in
                    (last: try row.next(as: Int64.self), isClosed: try row.next(as: Bool.self))
                }
            if state?.isClosed == true { return }
            let after = try await tx.query(
                Self.remove, room.kindNumber, room.rawValue, user, state?.last ?? 0, version
            ).first { row throws(PostgresError) in try row.next(as: Int64.self) }
            if let after { await telling(after) }
        }
    }

    /// Takes no message any more, not even a first one; returns the seq of the last one.
    func close(_ room: RoomID, of workspace: WorkspaceID) async throws -> Int64 {
        try await database.query(Self.close, room.kindNumber, room.rawValue, workspace).value()
    }

    /// Deletes what was said, in pieces; the closed room itself stays, so that nothing is said again.
    func erase(_ room: RoomID) async throws {
        while try await database.execute(Self.eraseMessages, room.kindNumber, room.rawValue) > 0 {}
        try await database.execute(Self.eraseRest, room.kindNumber, room.rawValue)
        try await database.execute(Self.eraseRemovals, room.kindNumber, room.rawValue)
        if let dm = room.dm { try await database.execute(Self.eraseDM, dm) }
    }
}
