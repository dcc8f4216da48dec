import Contract
import ServiceKit
import Wire

/// Removes members from workspaces after reports.
struct ReportRemovals: Sendable {
    let workspaces: Workspaces
    let bans: BanStore
    let erasure: ErasureStore

    private var members: MemberStore { workspaces.members }
    private var facts: WorkspaceFactPublisher { workspaces.facts }

    /// Removes a member. The removal of a former member is no error.
    ///
    /// - Parameter moderator: the deciding owner or admin; nil for an operator, who acts as the owner.
    func remove(_ member: UserID, from id: WorkspaceID, by moderator: UserID?) async throws {
        guard let workspace = try await workspaces.store.find(id) else { throw Failure.notFound }
        guard let actor = moderator ?? workspace.owner else { return try await exclude(member, from: id) }
        if try await members.role(of: member, in: id) == .outsider { return }
        let (owner, passedOn) = try await workspaces.changing(id, by: actor, admitsLockedOut: true) {
            workspace, role, tx in
            try Policy.remove(role, oneself: member == actor, try await members.role(of: member, in: id, in: tx))
            let passedOn = try await workspaces.expel(member, from: workspace, by: actor, in: tx)
            try await workspaces.audit.record(
                AuditEvent(.memberRemoved, by: moderator, to: member), of: id, in: tx)
            return (workspace.owner, passedOn)
        }
        facts.tell(.gone, of: id, .member(member, of: nil))
        facts.tellOwner(of: passedOn)
        facts.hint(id)
        // The owner may have entered channels of the member.
        if let owner { facts.hint(id, user: owner) }
    }

    /// Removes and bans a user of a system workspace that nobody owns, for an operator: without the ban the next sign-in
    /// would bring them back. The channels of the member are left without an owner.
    private func exclude(_ member: UserID, from id: WorkspaceID) async throws {
        let isGone = try await facts.outbox.transaction { tx in
            guard let workspace = try await workspaces.store.lock(id, in: tx) else { throw Failure.notFound }
            let role = try await members.role(of: member, in: id, in: tx)
            guard role != .owner else { throw Failure.notAllowed }
            if role != .outsider {
                try await erasure.disown(member, in: id, tx)
                try await members.remove(member, from: id, in: tx)
                try await facts.memberRemoved(member, from: workspace, in: tx)
                try await workspaces.audit.record(AuditEvent(.memberRemoved, by: nil, to: member), of: id, in: tx)
            }
            if try await bans.insert(member, in: id, by: nil, at: .now, tx) {
                try await workspaces.audit.record(AuditEvent(.memberBanned, by: nil, to: member), of: id, in: tx)
            }
            return role != .outsider
        }
        if isGone { facts.tell(.gone, of: id, .member(member, of: nil)) }
        facts.hint(id)
    }
}
