import Contract
import Wire

/// A channel of a workspace.
struct Channel: Sendable, Equatable {
    let id: ChannelID
    let workspace: WorkspaceID
    let name: String
    let description: String?
    let image: String?
    let owner: UserID?
    /// The one that every member is in.
    let isDefault: Bool
    let createdAt: Timestamp

    /// As clients see it. All channels are open to the workspace's members.
    func view(members: [MemberView]? = nil) -> ChannelView {
        ChannelView(
            workspace: workspace, id: id, name: name, description: description, image: image,
            owner: owner ?? UserID(0), isPrivate: false, createdAt: createdAt, members: members)
    }
}
