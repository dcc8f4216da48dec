import Contract
import Wire

/// A member of a workspace with their role.
struct MemberWithRole: Sendable {
    let user: UserID
    let role: WorkspaceRole
    let joinedAt: Timestamp
}

/// A member of a workspace or channel.
struct Membership: Sendable {
    let user: UserID
    /// Milliseconds since 1970.
    let joinedAt: Int64
}
