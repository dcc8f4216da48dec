import Contract
import Postgres
import Wire

/// The workspace of each room and the name of each channel, as of the last fact about it.
struct RoomNames: Sendable {
    let database: PostgresPool

    /// The names of a room in its events.
    struct Known: Sendable {
        let workspace: WorkspaceID
        let name: String?
    }

    private static let find = Statement.read(
        "names of rooms",
        """
        select room.kind, room.id, room.workspace, room.name
        from room join unnest($1::smallint[], $2::bigint[]) as wanted (kind, id) using (kind, id)
        """)
    private static let rename = Statement.write(
        "rename room",
        "update room set name = $2, version = $3 where workspace = $4 and kind = 1 and id = $1 and version < $3")

    func of(_ rooms: Set<RoomID>) async throws -> [RoomID: Known] {
        let rooms = Array(rooms)
        let found = try await database.query(Self.find, rooms.map(\.kindNumber), rooms.map(\.rawValue))
            .map { row throws(PostgresError) in
                let room = try row.nextRoom()
                return (room, Known(workspace: try row.next(), name: try row.next()))
            }
        return Dictionary(uniqueKeysWithValues: found)
    }

    /// Renames a channel unless a later version is known.
    func rename(_ channel: ChannelID, in workspace: WorkspaceID, _ name: String, version: Int64) async throws {
        try await database.execute(Self.rename, channel, name, version, workspace)
    }
}
