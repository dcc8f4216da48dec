import Contract
import Postgres
import Wire

/// The workspace of each room and the name of each channel, as of the last fact about it.
struct RoomNames: Sendable {
    let database: PostgresPool
    /// Finds the parts of a divided schema; nil for tables on one server.
    var finder: WorkspaceFinder?

    /// The names of a room in its events.
    struct Known: Sendable {
        let workspace: WorkspaceID
        let name: String?
    }

    private static let find = Statement.read(
        "names of rooms in workspace",
        """
        select kind, id, name from room join unnest($2::smallint[], $3::bigint[]) as wanted (kind, id) using (kind, id)
        where workspace = $1
        """)
    private static let workspaces = Statement.read(
        "workspaces of rooms",
        """
        select room.kind, room.id, room.workspace
        from room join unnest($1::smallint[], $2::bigint[]) as wanted (kind, id) using (kind, id)
        """)
    private static let workspacesAmong = Statement.read(
        "workspaces of rooms among some workspaces",
        """
        select room.kind, room.id, room.workspace
        from room join unnest($1::smallint[], $2::bigint[]) as wanted (kind, id) using (kind, id)
        where room.workspace = any($3::bigint[])
        """)
    private static let rename = Statement.write(
        "rename room",
        "update room set name = $2, version = $3 where workspace = $4 and kind = 1 and id = $1 and version < $3")

    /// Rooms that have never had a message are missing.
    func of(_ rooms: Set<RoomKey>) async throws -> [RoomID: Known] {
        var (batch, workspaces): (PostgresBatch, [WorkspaceID]) = (PostgresBatch(), [])
        for (workspace, rooms) in Dictionary(grouping: rooms, by: \.workspace) {
            try batch.add(Self.find, workspace, rooms.map(\.kindNumber), rooms.map(\.rawValue))
            workspaces.append(workspace)
        }
        var known: [RoomID: Known] = [:]
        for (workspace, rows) in zip(workspaces, try await database.run(batch)) {
            for var row in rows {
                let room = try row.nextRoom()
                known[room] = Known(workspace: workspace, name: try row.next())
            }
        }
        return known
    }

    /// The workspaces of rooms, for callers that do not know them. In a divided schema it asks all servers, or those within reach.
    ///
    /// - Throws: E99 if a room is in none of these, because it may be in another.
    func workspaces(of rooms: Set<RoomID>) async throws -> [RoomID: WorkspaceID] {
        let (kinds, ids) = (rooms.map(\.kindNumber), rooms.map(\.rawValue))
        guard let finder else {
            return Self.read(try await database.query(Self.workspaces, kinds, ids).map(Self.workspace))
        }
        let all = try await finder.attempt { tx in try await tx.query(Self.workspaces, kinds, ids).map(Self.workspace) }
        if let all { return Self.read(all) }
        let found = try await finder.find(in: try await finder.list(of: .rooms)) { tx, part in
            try await tx.query(Self.workspacesAmong, kinds, ids, part).map(Self.workspace)
        }
        guard found.count == rooms.count else { throw Failure.unavailable }
        return Self.read(found)
    }

    private static func read(_ rows: [(room: RoomID, workspace: WorkspaceID)]) -> [RoomID: WorkspaceID] {
        Dictionary(uniqueKeysWithValues: rows.map { ($0.room, $0.workspace) })
    }

    /// Reads the columns kind, id, workspace.
    private static func workspace(
        _ row: inout Row
    ) throws(PostgresError) -> (room: RoomID, workspace: WorkspaceID) {
        (room: try row.nextRoom(), workspace: try row.next())
    }

    /// Renames a channel unless a later version is known.
    func rename(_ channel: ChannelID, in workspace: WorkspaceID, _ name: String, version: Int64) async throws {
        try await database.execute(Self.rename, channel, name, version, workspace)
    }
}
