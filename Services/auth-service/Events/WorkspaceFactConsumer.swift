import Contract
import ServiceKit

/// Sends the mails of invitations, and ends the bots of deleted workspaces, and the tokens of bots that have left theirs. A fact that is
/// repeated changes nothing and sends no second mail.
struct WorkspaceFactConsumer: Sendable {
    let workspaces: WorkspaceClient
    let mails: MailOutbox
    let bots: Bots

    func handle(_ fact: WorkspaceFact) async throws {
        switch fact {
        case .invitationMailed(let order):
            guard let mail = try await workspaces.invitationMail(order.invitation) else { return }
            try await mails.invite(mail, key: "invitation-\(order.invitation)")
        case .workspaceDeleted(let deletion): try await bots.close(of: deletion.workspace)
        case .memberRemoved(let removal):
            try await bots.endTokens(of: removal.user, in: removal.workspace.workspace)
        default: return
        }
    }
}
