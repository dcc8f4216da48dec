/// The role of a user in a channel.
enum ChannelRole: Sendable, Equatable {
    /// Not a member of the workspace.
    case outsider
    /// A member of the workspace, but not of the channel.
    case observer
    case member, owner
}
