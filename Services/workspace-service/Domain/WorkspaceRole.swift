import Contract

/// The role of a user in a workspace, in the order of their rights.
enum WorkspaceRole: String, Sendable, CaseIterable, Comparable {
    /// Not a member.
    case outsider
    /// Sees the channels that they were put in and the people there, nothing else.
    case guest
    case member
    case admin
    /// Exactly one member, except in system workspaces without an owner.
    case owner

    /// The roles that a member may be given. A workspace gets another owner by a transfer.
    static let assignable: [WorkspaceRole] = [.guest, .member, .admin]

    static func < (lower: WorkspaceRole, higher: WorkspaceRole) -> Bool {
        if lower == .outsider || higher == .outsider { return lower != higher && lower == .outsider }
        return lower.memberRole < higher.memberRole
    }

    /// The role as the other services know it; outsiders have none, and are never asked for.
    var memberRole: MemberRole { MemberRole(rawValue: rawValue) ?? .guest }
}
