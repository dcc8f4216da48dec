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
    /// Whether it is the channel that every member of the workspace is in.
    let isDefault: Bool
    let createdAt: Timestamp

    /// The channel as clients see it. All channels are visible to the workspace's members.
    func view() -> ChannelView {
        ChannelView(
            workspace: workspace, id: id, name: name, description: description, image: image,
            owner: owner ?? .system, isPrivate: false, createdAt: createdAt)
    }
}
