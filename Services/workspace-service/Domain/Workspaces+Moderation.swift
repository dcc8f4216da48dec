import Contract
import Wire

extension Workspaces {
    /// Removes a member after a report. The removal of a former member is no error.
    ///
    /// - Parameter moderator: the deciding owner or admin; nil for an operator, who acts as the owner.
    func removeAfterReport(_ member: UserID, from id: WorkspaceID, by moderator: UserID?) async throws {
        guard let workspace = try await store.find(id), let actor = moderator ?? workspace.owner else {
            throw Failure.notFound
        }
        if try await members.role(of: member, in: id) == .outsider { return }
        let owner = try await changing(id, by: actor, admitsLockedOut: true) { workspace, role, tx in
            try Policy.remove(role, oneself: member == actor, try await members.role(of: member, in: id, in: tx))
            try await expel(member, from: workspace, by: actor, in: tx)
            try await audit.record(AuditEvent(.memberRemoved, by: moderator, to: member), of: id, in: tx)
            return workspace.owner
        }
        facts.tell(.gone, of: id, .member(member, of: nil))
        facts.hint(id)
        // The owner may have entered channels of the member.
        if let owner { facts.hint(id, user: owner) }
    }
}
