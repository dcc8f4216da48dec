import Contract
import Wire

/// Finds the workspaces of rooms for callers that do not know them.
struct RoomWorkspaces: Sendable {
    private let names: RoomNames
    private let known = KnownWorkspaces<RoomID>()

    init(names: RoomNames) { self.names = names }

    /// The keys of those rooms that have had a message.
    func keys(of rooms: Set<RoomID>) async throws -> [RoomID: RoomKey] {
        let workspaces = try await known.find(rooms) { try await names.workspaces(of: $0) }
        return Dictionary(workspaces.map { ($0, RoomKey(workspace: $1, id: $0)) }) { first, _ in first }
    }

    /// Nil for a room that has never had a message.
    func key(of room: RoomID) async throws -> RoomKey? { try await keys(of: [room])[room] }
}
