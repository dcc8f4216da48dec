/// The role of a user in a channel.
enum ChannelRole: Sendable, Equatable {
    /// Not a member of the workspace, or a guest outside the channel.
    case outsider
    /// A member of the workspace, but not of the channel.
    case observer
    case member, owner
}

/// The role of a user in a channel, and whether they are a guest of its workspace.
struct RoleInChannel: Sendable, Equatable {
    let role: ChannelRole
    var isGuest = false

    static let outside = RoleInChannel(role: .outsider)

    /// - Parameters:
    ///   - role: the role in the workspace of the channel.
    ///   - isOwner: whether the user owns the channel.
    ///   - isMember: whether the user is in the channel.
    init(_ role: WorkspaceRole, isOwner: Bool, isMember: Bool) {
        isGuest = role == .guest
        if isOwner {
            self.role = .owner
        } else if isMember {
            self.role = .member
        } else {
            self.role = Policy.allows(.seeEverybody, role) ? .observer : .outsider
        }
    }

    init(role: ChannelRole, isGuest: Bool = false) {
        self.role = role
        self.isGuest = isGuest
    }
}
