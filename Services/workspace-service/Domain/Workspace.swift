import Contract
import Wire

/// A workspace.
struct Workspace: Sendable, Equatable {
    let id: WorkspaceID
    let name: String
    let description: String
    let image: String
    /// Nil for a system workspace without an owner.
    let owner: UserID?
    let createdAt: Timestamp
    let version: Int64

    /// The workspace as clients see it. The system owns it if no user does.
    func view() -> WorkspaceView {
        WorkspaceView(
            id: id, name: name, description: description, image: image, owner: owner ?? .system,
            createdAt: createdAt)
    }
}
