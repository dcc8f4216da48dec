import Contract
import ServiceKit
import Wire

/// Makes members of those who have registered.
struct Invitations: Sendable {
    let workspaces: Workspaces
    let auth: AuthClient

    /// Makes whoever has the email a member. Only the owner learns whether somebody has it.
    func invite(_ email: String, to id: WorkspaceID, by user: UserID) async throws -> MemberView {
        try await workspaces.requireOwner(user, of: id)
        guard let invitee = try await auth.profile(ofEmail: email) else {
            throw Failure(.unknownAccount, "Nobody has registered with this email.", status: 404)
        }
        try await workspaces.invite(invitee.member.id, to: id, by: user)
        return invitee.member
    }
}
