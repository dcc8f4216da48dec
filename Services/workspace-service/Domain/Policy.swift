import Contract

/// The permissions in workspaces and channels. An object that the user cannot see is reported as not found; a forbidden
/// action on a visible object is reported as not allowed.
enum Policy {
    /// Members may see the workspace, its members and its channels, and may create and join channels.
    static func see(_ role: WorkspaceRole) throws(Failure) {
        guard role != .outsider else { throw .notFound }
    }

    /// The owner may edit, delete and transfer the workspace, and invite members.
    static func manage(_ role: WorkspaceRole) throws(Failure) {
        try see(role)
        guard role == .owner else { throw .notAllowed }
    }

    /// A member may leave unless they own the workspace or one of its channels.
    static func leave(_ role: WorkspaceRole, ownsChannels: Bool) throws(Failure) {
        try see(role)
        guard role != .owner, !ownsChannels else { throw Self.transferFirst }
    }

    /// The owner may remove any other member.
    static func remove(_ role: WorkspaceRole, oneself: Bool, _ member: WorkspaceRole) throws(Failure) {
        try manage(role)
        guard !oneself else { throw Self.transferFirst }
        try see(member)
    }

    /// The owner may transfer a workspace to another member.
    static func transfer(_ role: WorkspaceRole, toOneself: Bool, newOwner: WorkspaceRole) throws(Failure) {
        try manage(role)
        guard !toOneself else { throw .invalid("You already own the workspace.") }
        try see(newOwner)
    }

    /// A member may create a channel within the limits of the workspace and of the channels that one user owns.
    static func createChannel(_ role: WorkspaceRole, _ counts: ChannelCounts, _ limits: ChannelLimits) throws(Failure) {
        try see(role)
        guard counts.ofWorkspace < limits.ofWorkspace else { throw .invalid("The workspace has too many channels.") }
        guard counts.ofOwner < limits.ofOwner else { throw .invalid("You own too many channels of this workspace.") }
    }

    static func see(_ role: ChannelRole) throws(Failure) {
        guard role != .outsider else { throw .notFound }
    }

    static func manage(_ role: ChannelRole) throws(Failure) {
        try see(role)
        guard role == .owner else { throw .notAllowed }
    }

    /// The owner may transfer a channel to another of its members. The default channel always has the workspace's
    /// owner.
    static func transfer(
        _ channel: Channel, _ role: ChannelRole, toOneself: Bool, newOwner: ChannelRole
    ) throws(Failure) {
        try manage(role)
        guard !channel.isDefault else { throw .invalid("The default channel belongs to the owner of its workspace.") }
        guard !toOneself else { throw .invalid("You already own the channel.") }
        guard newOwner == .member else { throw .notFound }
    }

    /// The owners of a channel and of its workspace may delete the channel, unless it is the default channel.
    static func delete(_ channel: Channel, _ role: ChannelRole, in workspace: WorkspaceRole) throws(Failure) {
        if workspace != .owner { try manage(role) }
        guard !channel.isDefault else { throw .invalid("The default channel cannot be deleted.") }
    }

    /// A member may leave a channel, except its owner, and except the default channel.
    static func leave(_ channel: Channel, _ role: ChannelRole) throws(Failure) {
        try see(role)
        guard !channel.isDefault else { throw .invalid("The default channel cannot be left.") }
        guard role != .observer else { throw .notFound }
        guard role != .owner else { throw Self.transferFirst }
    }

    /// The owners of a channel and of its workspace may remove a member, except the channel's owner, and except from the
    /// default channel.
    static func remove(
        from channel: Channel, _ role: ChannelRole, in workspace: WorkspaceRole, _ member: ChannelRole
    ) throws(Failure) {
        if workspace != .owner { try manage(role) }
        guard !channel.isDefault else { throw .invalid("The default channel cannot be left.") }
        switch member {
        case .outsider, .observer: throw .notFound
        case .owner: throw Self.transferFirst
        case .member: return
        }
    }

    private static let transferFirst = Failure(.refused, "An owner must transfer ownership before leaving.")
}
