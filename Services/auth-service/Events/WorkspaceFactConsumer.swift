import Contract
import ServiceKit

/// Sends the mails of invitations. A fact that is repeated sends a mail again at most when the first one has been sent.
struct WorkspaceFactConsumer: Sendable {
    let workspaces: WorkspaceClient
    let mails: MailOutbox

    func handle(_ fact: WorkspaceFact) async throws {
        guard case .invitationMailed(let order) = fact else { return }
        guard let mail = try await workspaces.invitationMail(order.invitation) else { return }
        try await mails.invite(mail, key: "invitation-\(order.invitation)")
    }
}
