import Wire

/// What someone is to a workspace.
enum Standing: Sendable, Equatable {
    case stranger, member, owner
}

/// What someone is to a channel.
enum ChannelStanding: Sendable, Equatable {
    /// Not in its workspace.
    case stranger
    /// In its workspace, not in the channel.
    case onlooker
    case member, owner
}
