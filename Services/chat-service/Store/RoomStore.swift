import Contract
import Postgres
import Wire

/// The tables of rooms and of members removed from them.
struct RoomStore: Sendable {
    let database: PostgresPool

    /// The position of a removal or a closing in a room's order: after the message with the seq `after`.
    struct OrderPoint: Sendable {
        let room: RoomID
        let after: Int64
    }

    private static let ofWorkspace = Statement.read(
        "rooms of workspace",
        """
        select kind, id from room where workspace = $1
        union
        select 2, id from dm where workspace = $1
        order by 1, 2
        """)
    /// A channel without messages is not in `room`, but may have drafts, notification levels and messages that wait for their time.
    private static let ofDeleted = Statement.read(
        "rooms of deleted workspace",
        """
        select kind, id from room where workspace = $1
        union
        select 2, id from dm where workspace = $1
        union
        select kind, room from scheduled where workspace = $1
        union
        select kind, room from draft where workspace = $1
        union
        select kind, room from room_notify where workspace = $1
        order by 1, 2
        """)
    private static let states = Statement.read(
        "states of rooms",
        """
        select kind, id, last_seq, is_closed
        from room join unnest($2::smallint[], $3::bigint[]) as wanted (kind, id) using (kind, id)
        where workspace = $1
        """)
    private static let remove = Statement.write(
        "note removals",
        """
        insert into removal (workspace, kind, room, user_id, after_seq, version)
        select $6::bigint, kind, room, $4::bigint, after_seq, $5::bigint
        from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as point (kind, room, after_seq)
        order by kind, room
        on conflict on constraint removal_pkey do update set after_seq = excluded.after_seq, version = excluded.version
        where removal.version < excluded.version
        returning kind, room, after_seq
        """)
    private static let close = Statement.write(
        "close rooms",
        """
        insert into room (kind, id, workspace, is_closed)
        select kind, id, $3::bigint, true from unnest($1::smallint[], $2::bigint[]) as ended (kind, id)
        order by kind, id
        on conflict on constraint room_pkey do update set is_closed = true
        returning kind, id, last_seq
        """)
    private static let endDMs = Statement.write(
        "end dms", "delete from dm where workspace = $1 and id = any($2::bigint[])")

    /// All rooms of a workspace in the order of their ids, including DMs without a message.
    func list(_ workspace: WorkspaceID) async throws -> [RoomID] {
        try await database.query(Self.ofWorkspace, workspace).map { row throws(PostgresError) in try row.nextRoom() }
    }

    /// All rooms of a deleted workspace with something to erase, in the order of their ids.
    func list(ofDeleted workspace: WorkspaceID) async throws -> [RoomID] {
        try await database.query(Self.ofDeleted, workspace).map { row throws(PostgresError) in try row.nextRoom() }
    }

    /// Records a removal after the newest message of each room. Skips closed rooms and rooms for which a later version
    /// is known.
    ///
    /// - Parameter publishing: publishes the order points while the rooms are still locked, so that no later message is
    ///   published first.
    func remove(
        _ user: UserID, from rooms: [RoomID], of workspace: WorkspaceID, version: Int64,
        publishing: @Sendable ([OrderPoint]) async -> Void
    ) async throws {
        try await database.transaction { tx in
            var batch = PostgresBatch()
            try batch.lock(rooms)
            try batch.add(Self.states, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue))
            let known = try await tx.run(batch)[1].map { row throws(PostgresError) in
                let room = try row.nextRoom()
                return (room, (last: try row.next(as: Int64.self), isClosed: try row.next(as: Bool.self)))
            }
            let states = Dictionary(uniqueKeysWithValues: known)
            let open = rooms.filter { states[$0]?.isClosed != true }
            let points = try await tx.query(
                Self.remove, open.map(\.kindNumber), open.map(\.rawValue), open.map { states[$0]?.last ?? 0 }, user,
                version, workspace
            ).map(OrderPoint.init(row:))
            if !points.isEmpty { await publishing(points) }
        }
    }

    /// Closes rooms: they accept no messages, not even a first one, and their DMs are deleted. The messages remain
    /// until they are erased.
    func close(_ rooms: [RoomID], of workspace: WorkspaceID) async throws -> [OrderPoint] {
        var batch = PostgresBatch()
        try batch.lock(rooms)
        try batch.add(Self.close, rooms.map(\.kindNumber), rooms.map(\.rawValue), workspace)
        try batch.add(Self.endDMs, workspace, rooms.compactMap(\.dm))
        return try await database.run(batch)[1].map(OrderPoint.init(row:))
    }
}

extension RoomStore.OrderPoint {
    /// Reads the columns kind, room, seq.
    fileprivate init(row: inout Row) throws(PostgresError) {
        room = try row.nextRoom()
        after = try row.next()
    }
}
