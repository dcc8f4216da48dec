import Contract
import Wire

/// A member without a second factor, as the owner of the workspace sees them.
struct MemberWithoutSecondFactor: Sendable {
    let user: UserID
    let role: WorkspaceRole
    let joinedAt: Timestamp
    /// When the member is locked out without a second factor; nil if the workspace requires none.
    let due: Timestamp?
    let isLockedOut: Bool
}
