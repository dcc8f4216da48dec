import Contract
import Wire

/// Names a room within its workspace. Statements that begin from one find all their rows in one part of a schema that is divided by
/// workspace.
struct RoomKey: Hashable, Sendable {
    let workspace: WorkspaceID
    let id: RoomID
}

/// Names a message within its workspace.
struct MessageKey: Hashable, Sendable {
    let workspace: WorkspaceID
    let room: RoomID
    let seq: Int64

    init(_ room: RoomKey, seq: Int64) {
        workspace = room.workspace
        self.room = room.id
        self.seq = seq
    }

    var roomKey: RoomKey { RoomKey(workspace: workspace, id: room) }
}

extension Sequence<RoomKey> {
    /// The workspaces of the keys, each once.
    var distinctWorkspaces: [WorkspaceID] { Array(Set(map(\.workspace))) }
}

extension Sequence<MessageKey> {
    /// The workspaces of the keys, each once.
    var distinctWorkspaces: [WorkspaceID] { Array(Set(map(\.workspace))) }

    /// The keys of each workspace, in the order of the workspaces.
    var byWorkspace: [(workspace: WorkspaceID, keys: [MessageKey])] {
        Dictionary(grouping: self, by: \.workspace).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
