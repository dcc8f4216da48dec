import Contract
import Wire

/// A workspace as operators see it.
struct OperatorWorkspace: Sendable {
    /// The place of a user in a workspace.
    struct Membership: Sendable {
        let workspace: WorkspaceID
        let name: String
        let role: String
        let joinedAt: Timestamp
    }

    let id: WorkspaceID
    let name: String
    /// Nil for a system workspace.
    let owner: UserID?
    let slug: String?
    let createdAt: Timestamp
    let members: Int
    let channels: Int
}
