import Contract
import Postgres
import Wire

/// The table of rooms, and who was taken out of them.
struct RoomStore: Sendable {
    let database: PostgresPool

    /// Where something stands in a room's order: behind the message `after`.
    struct Place: Sendable {
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
    private static let states = Statement.read(
        "states of rooms",
        """
        select kind, id, last_seq, is_closed
        from room join unnest($1::smallint[], $2::bigint[]) as wanted (kind, id) using (kind, id)
        """)
    private static let remove = Statement.write(
        "note removals",
        """
        insert into removal (kind, room, user_id, after_seq, version)
        select kind, room, $4::bigint, after_seq, $5::bigint
        from unnest($1::smallint[], $2::bigint[], $3::bigint[]) as place (kind, room, after_seq)
        order by kind, room
        on conflict (kind, room, user_id) do update set after_seq = excluded.after_seq, version = excluded.version
        where removal.version < excluded.version
        returning kind, room, after_seq
        """)
    private static let close = Statement.write(
        "close rooms",
        """
        insert into room (kind, id, workspace, is_closed)
        select kind, id, $3::bigint, true from unnest($1::smallint[], $2::bigint[]) as ended (kind, id)
        order by kind, id
        on conflict (kind, id) do update set is_closed = true
        returning kind, id, last_seq
        """)
    private static let endDMs = Statement.write("end dms", "delete from dm where id = any($1::bigint[])")

    /// All rooms of a workspace in the order of their ids, DMs without a message included.
    func list(_ workspace: WorkspaceID) async throws -> [RoomID] {
        try await database.query(Self.ofWorkspace, workspace).map { row throws(PostgresError) in try row.nextRoom() }
    }

    /// Gives a removal its place in each of the rooms, behind the newest message, unless a later version has been heard of,
    /// or the room is closed and nobody is in it.
    ///
    /// - Parameter telling: tells of the places while the rooms are still locked, so that no message
    ///   behind one is told first.
    func remove(
        _ user: UserID, from rooms: [RoomID], version: Int64, telling: @Sendable ([Place]) async -> Void
    ) async throws {
        try await database.transaction { tx in
            var batch = PostgresBatch()
            try batch.lock(rooms)
            try batch.add(Self.states, rooms.map(\.kindNumber), rooms.map(\.rawValue))
            let known = try await tx.run(batch)[1].map { row throws(PostgresError) in
                let room = try row.nextRoom()
                return (room, (last: try row.next(as: Int64.self), isClosed: try row.next(as: Bool.self)))
            }
            let states = Dictionary(uniqueKeysWithValues: known)
            let open = rooms.filter { states[$0]?.isClosed != true }
            let places = try await tx.query(
                Self.remove, open.map(\.kindNumber), open.map(\.rawValue), open.map { states[$0]?.last ?? 0 }, user,
                version
            ).map(Place.init(row:))
            if !places.isEmpty { await telling(places) }
        }
    }

    /// Ends rooms: they take no message any more, not even a first one, and DMs are nobody's. What was said in them is
    /// left to be erased.
    func close(_ rooms: [RoomID], of workspace: WorkspaceID) async throws -> [Place] {
        var batch = PostgresBatch()
        try batch.lock(rooms)
        try batch.add(Self.close, rooms.map(\.kindNumber), rooms.map(\.rawValue), workspace)
        try batch.add(Self.endDMs, rooms.compactMap(\.dm))
        return try await database.run(batch)[1].map(Place.init(row:))
    }
}

extension RoomStore.Place {
    /// kind, room, seq.
    fileprivate init(row: inout Row) throws(PostgresError) {
        room = try row.nextRoom()
        after = try row.next()
    }
}
