import Contract
import ServiceKit
import Wire

/// Adds registered users to workspaces by their email address.
struct Invitations: Sendable {
    let workspaces: Workspaces
    let auth: AuthClient
    let limits: InvitationLimits

    /// Makes the user with this email a member. Only owners and admins learn whether an email is registered.
    func invite(
        _ email: String, to id: WorkspaceID, by user: UserID, from origin: AuditOrigin
    ) async throws -> MemberView {
        try await workspaces.require(.invite, of: user, in: id)
        try limits.admit(user, to: id)
        guard let invitee = try await auth.profile(ofEmail: email) else {
            throw Failure(.unknownAccount, "No account is registered with this email.", status: 404)
        }
        try await workspaces.invite(invitee.member.id, to: id, by: user, from: origin)
        return invitee.member
    }
}
