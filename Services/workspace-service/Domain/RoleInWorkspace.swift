import Contract
import Wire

/// The role of a user in a workspace, and whether a second factor is due.
struct RoleInWorkspace: Sendable {
    let role: WorkspaceRole
    /// When the user needs a second factor; nil for none, and for users that have one.
    let secondFactorDue: Timestamp?
    /// Whether the workspace requires a second factor that the user does not have.
    let isLockedOut: Bool

    static let outside = RoleInWorkspace(role: .outsider, secondFactorDue: nil, isLockedOut: false)

    /// The role for a call of the user.
    ///
    /// - Throws: E08 for a member that is locked out.
    func admitted() throws(Failure) -> WorkspaceRole {
        guard !isLockedOut else { throw .secondFactorMissing }
        return role
    }
}
