import Contract
import Wire

/// A direct-message room of two users in a workspace.
struct DM: Sendable, Equatable {
    let id: DMID
    let workspace: WorkspaceID
    let low: UserID
    let high: UserID
    let createdAt: Timestamp
    let lowHasLeft: Bool
    let highHasLeft: Bool

    var room: RoomID { RoomID(id) }

    /// False once one of the two has left the workspace.
    var isOpen: Bool { !lowHasLeft && !highHasLeft }

    /// The member other than `user`.
    func opponent(of user: UserID) -> UserID { user == low ? high : low }
}
