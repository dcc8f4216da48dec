import Contract
import Postgres
import Wire

/// Reads the heads of rooms.
struct RoomHeadStore: Sendable {
    let database: PostgresPool
    /// Nil for tables on one server.
    var finder: WorkspaceFinder?

    private static let heads = Statement.read(
        "heads of rooms",
        """
        select kind, id, last_seq, rev
        from room join unnest($2::smallint[], $3::bigint[]) as wanted (kind, id) using (kind, id)
        where workspace = $1
        """)

    /// The heads of those rooms that have messages, and the rooms in parts of a divided schema that are out of reach.
    func heads(of rooms: [RoomKey]) async throws -> (known: [(room: RoomID, head: RoomHead)], lost: [RoomID]) {
        let rooms = Dictionary(grouping: rooms, by: \.workspace)
        if rooms.isEmpty { return ([], []) }
        guard let finder else { return (try await Self.read(rooms, in: database), []) }
        let parts = try await finder.find(in: Set(rooms.keys)) { tx, part in
            let heads = try await Self.read(rooms.filter { part.contains($0.key) }, in: tx)
            return [(workspaces: part, heads: heads)]
        }
        let reached = Set(parts.flatMap(\.workspaces))
        return (parts.flatMap(\.heads), rooms.filter { !reached.contains($0.key) }.values.joined().map(\.id))
    }

    private static func read(
        _ rooms: [WorkspaceID: [RoomKey]], in database: some Queryable
    ) async throws -> [(room: RoomID, head: RoomHead)] {
        var batch = PostgresBatch()
        for (workspace, rooms) in rooms {
            try batch.add(heads, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue))
        }
        return try await database.run(batch).flatMap { rows throws(PostgresError) in
            try rows.map { row throws(PostgresError) in
                (room: try row.nextRoom(), head: RoomHead(seq: try row.next(), rev: try row.next()))
            }
        }
    }
}
