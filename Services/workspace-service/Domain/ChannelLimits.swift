/// The largest numbers of channels.
struct ChannelLimits: Sendable, Equatable {
    /// Channels in a workspace, including the default channel.
    let ofWorkspace: Int
    /// Channels of a workspace that one user owns, without the default channel.
    let ofOwner: Int
}

/// The numbers of channels that exist, counted like the limits.
struct ChannelCounts: Sendable, Equatable {
    let ofWorkspace: Int
    let ofOwner: Int
}
