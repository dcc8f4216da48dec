import Contract
import Synchronization
import Wire

/// Finds the workspaces of rooms for callers that do not know them. A room never moves to another workspace, so the answers are kept.
final class RoomWorkspaces: Sendable {
    private let names: RoomNames
    private let known = Mutex<[RoomID: WorkspaceID]>([:])

    /// Beyond this number of rooms all are forgotten.
    private static let limit = 100_000

    init(names: RoomNames) { self.names = names }

    /// The keys of those rooms that have had a message.
    func keys(of rooms: Set<RoomID>) async throws -> [RoomID: RoomKey] {
        var workspaces = known.withLock { known in
            Dictionary(rooms.compactMap { room in known[room].map { (room, $0) } }) { first, _ in first }
        }
        if workspaces.count < rooms.count {
            let found = try await names.of(rooms.filter { workspaces[$0] == nil }).mapValues(\.workspace)
            known.withLock { known in
                if known.count > Self.limit { known.removeAll() }
                known.merge(found) { _, new in new }
            }
            workspaces.merge(found) { _, new in new }
        }
        return Dictionary(workspaces.map { ($0, RoomKey(workspace: $1, id: $0)) }) { first, _ in first }
    }

    /// Nil for a room that has never had a message.
    func key(of room: RoomID) async throws -> RoomKey? { try await keys(of: [room])[room] }
}
