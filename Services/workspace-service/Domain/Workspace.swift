import Contract
import Wire

/// A workspace.
struct Workspace: Sendable, Equatable {
    let id: WorkspaceID
    let name: String
    let description: String
    let image: String
    /// Nobody where the system made it.
    let owner: UserID?
    let createdAt: Timestamp
    let version: Int64

    /// As clients see it; what the system owns shows an owner that nobody is.
    func view(channels: [ChannelView]? = nil, members: [MemberView]? = nil) -> WorkspaceView {
        WorkspaceView(
            id: id, name: name, description: description, image: image, owner: owner ?? UserID(0),
            createdAt: createdAt, channels: channels, members: members)
    }
}
