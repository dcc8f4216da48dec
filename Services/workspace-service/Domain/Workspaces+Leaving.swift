import Contract
import Postgres
import ServiceKit
import Wire

extension Workspaces {
    /// Ends the user's own membership. The channels of a locked-out member pass to the owner of the workspace.
    func leave(_ id: WorkspaceID, _ user: UserID, from origin: AuditOrigin) async throws {
        let (heir, passedOn) = try await changing(id, by: user, admitsLockedOut: true) {
            workspace, role, tx -> (UserID?, [Channel]) in
            let ownsChannels = try await members.ownsChannels(user, in: id, of: tx)
            let heir = try await ownsChannels ? nextChannelOwner(after: user, in: workspace, tx) : nil
            try Policy.leave(role, ownsChannels: ownsChannels && heir == nil)
            var passedOn: [Channel] = []
            if let heir { passedOn = try await handOverChannels(of: user, in: workspace, to: heir, tx) }
            try await members.remove(user, from: id, in: tx)
            try await facts.memberRemoved(user, from: workspace, in: tx)
            try await audit.record(AuditEvent(.memberLeft, by: user, to: user, from: origin), of: id, in: tx)
            return (heir, passedOn)
        }
        facts.tell(.gone, of: id, .member(user, of: nil))
        facts.tellOwner(of: passedOn)
        facts.hint(id, user: user)
        guard let heir else { return }
        facts.hint(id)
        // The owner may have entered channels of the member.
        facts.hint(id, user: heir)
    }

    /// The next owner of the channels of a locked-out member, because their call to hand one over is refused. Nil for other members.
    private func nextChannelOwner(
        after member: UserID, in workspace: Workspace, _ tx: PostgresTransaction
    ) async throws -> UserID? {
        try await members.place(of: member, in: workspace.id, in: tx).isLockedOut ? workspace.owner : nil
    }
}
