import Contract

/// The permissions in workspaces and channels. An object that the user cannot see is reported as not found; a forbidden
/// action on a visible object is reported as not allowed.
enum Policy {
    /// The roles that may do each action: the one table that every check reads.
    static let table: [WorkspaceAction: Set<WorkspaceRole>] = [
        .see: [.owner, .admin, .member, .guest],
        .seeEverybody: [.owner, .admin, .member],
        .joinChannels: [.owner, .admin, .member],
        .createChannels: [.owner, .admin, .member],
        .invite: [.owner, .admin],
        .manageChannels: [.owner, .admin],
        .setRoles: [.owner, .admin],
        .removeMembers: [.owner, .admin],
        .moderate: [.owner, .admin],
        .readAudit: [.owner, .admin],
        .manageBots: [.owner, .admin],
        .edit: [.owner, .admin],
        .changeSettings: [.owner],
        .transfer: [.owner],
        .delete: [.owner],
    ]

    static func allows(_ action: WorkspaceAction, _ role: WorkspaceRole) -> Bool {
        table[action]?.contains(role) == true
    }

    /// Throws unless the role may do this.
    static func require(_ action: WorkspaceAction, of role: WorkspaceRole) throws(Failure) {
        guard role != .outsider else { throw .notFound }
        guard allows(action, role) else { throw Self.notAllowedByRole }
    }

    /// A member may leave unless they own the workspace or one of its channels.
    static func leave(_ role: WorkspaceRole, ownsChannels: Bool) throws(Failure) {
        try require(.see, of: role)
        guard role != .owner, !ownsChannels else { throw Self.transferFirst }
    }

    /// A member with a lower role may be removed or banned.
    static func remove(_ role: WorkspaceRole, oneself: Bool, _ member: WorkspaceRole) throws(Failure) {
        try require(.removeMembers, of: role)
        guard !oneself else { throw role == .owner ? Self.transferFirst : .leaveInstead }
        try require(.see, of: member)
        guard member < role else { throw Self.notAllowedByRole }
    }

    /// Users with a lower role, or none, may be banned.
    static func ban(_ role: WorkspaceRole, oneself: Bool, _ member: WorkspaceRole) throws(Failure) {
        try require(.removeMembers, of: role)
        guard !oneself else { throw .invalid("You cannot ban yourself.") }
        guard member < role else { throw Self.notAllowedByRole }
    }

    /// Members with a lower role may be given a lower role than one's own. Admins may also give up their role.
    static func setRole(
        _ role: WorkspaceRole, oneself: Bool, _ member: WorkspaceRole, to new: WorkspaceRole, ownsChannels: Bool
    ) throws(Failure) {
        try require(.setRoles, of: role)
        try require(.see, of: member)
        guard new < role, oneself ? role != .owner : member < role else { throw Self.notAllowedByRole }
        guard new != .guest || !ownsChannels else { throw Self.guestOwnsNothing }
    }

    /// An invitation offers a lower role than the inviter's.
    static func invite(_ role: WorkspaceRole, as offered: WorkspaceRole) throws(Failure) {
        try require(.invite, of: role)
        guard offered < role else { throw Self.notAllowedByRole }
    }

    /// The owner may transfer a workspace to another member, except a guest.
    static func transfer(_ role: WorkspaceRole, toOneself: Bool, newOwner: WorkspaceRole) throws(Failure) {
        try require(.transfer, of: role)
        guard !toOneself else { throw .invalid("You already own the workspace.") }
        try require(.see, of: newOwner)
        guard newOwner != .guest else { throw .invalid("A guest cannot own a workspace.") }
    }

    /// A member may create a channel within the limits of the workspace and of the channels that one user owns.
    static func createChannel(_ role: WorkspaceRole, _ counts: ChannelCounts, _ limits: ChannelLimits) throws(Failure) {
        try require(.createChannels, of: role)
        guard counts.ofWorkspace < limits.ofWorkspace else { throw .invalid("The workspace has too many channels.") }
        guard counts.ofOwner < limits.ofOwner else { throw .invalid("You own too many channels of this workspace.") }
    }

    static func see(_ role: ChannelRole) throws(Failure) {
        guard role != .outsider else { throw .notFound }
    }

    static func manage(_ role: ChannelRole) throws(Failure) {
        try see(role)
        guard role == .owner else { throw Self.notTheOwner }
    }

    /// The owner may transfer a channel to another of its members, except guests. The default channel always has the
    /// workspace's owner.
    static func transfer(
        _ channel: Channel, _ role: ChannelRole, toOneself: Bool, newOwner: RoleInChannel
    ) throws(Failure) {
        try manage(role)
        guard !channel.isDefault else { throw .invalid("The default channel belongs to the owner of its workspace.") }
        guard !toOneself else { throw .invalid("You already own the channel.") }
        guard newOwner.role == .member else { throw .notFound }
        guard !newOwner.isGuest else { throw .invalid("A guest cannot own a channel.") }
    }

    /// Throws unless the user owns the channel, or has a role in the workspace that manages all its channels.
    static func manage(_ role: ChannelRole, in workspace: WorkspaceRole) throws(Failure) {
        if allows(.manageChannels, workspace) { return }
        try see(role)
        guard role == .owner else { throw Self.noManager }
    }

    /// A channel may be deleted, unless it is the default channel.
    static func delete(_ channel: Channel, _ role: ChannelRole, in workspace: WorkspaceRole) throws(Failure) {
        try manage(role, in: workspace)
        guard !channel.isDefault else { throw .invalid("The default channel cannot be deleted.") }
    }

    /// A member may leave a channel, except its owner. Only guests may leave the default channel.
    static func leave(_ channel: Channel, _ place: RoleInChannel) throws(Failure) {
        try see(place.role)
        guard !channel.isDefault || place.isGuest else { throw Self.inDefaultChannel }
        guard place.role != .observer else { throw .notFound }
        guard place.role != .owner else { throw Self.transferFirst }
    }

    /// Managers of a channel may put any member of the workspace in it.
    static func add(_ role: ChannelRole, in workspace: WorkspaceRole, _ member: WorkspaceRole) throws(Failure) {
        try manage(role, in: workspace)
        try require(.see, of: member)
    }

    /// Managers of a channel may remove a member, except its owner. Only guests may be removed from the default channel.
    static func remove(
        from channel: Channel, _ role: ChannelRole, in workspace: WorkspaceRole, _ member: RoleInChannel
    ) throws(Failure) {
        try manage(role, in: workspace)
        guard !channel.isDefault || member.isGuest else { throw Self.inDefaultChannel }
        switch member.role {
        case .outsider, .observer: throw .notFound
        case .owner: throw Self.transferFirst
        case .member: return
        }
    }

    private static let inDefaultChannel = Failure.invalid("The default channel cannot be left.")
    private static let transferFirst = Failure(.refused, "An owner must transfer ownership before leaving.")
    private static let notAllowedByRole = Failure(.notAllowed, "Your role in the workspace does not allow this.")
    private static let notTheOwner = Failure(.notAllowed, "Only the owner of the channel may do this.")
    private static let noManager = Failure(
        .notAllowed, "Only the owner of the channel, the owner of the workspace and its admins may do this.")
    private static let guestOwnsNothing = Failure(.refused, "The member must transfer their channels first.")
}

extension Failure {
    fileprivate static let leaveInstead = Failure(.refused, "Leave the workspace instead.")
}
