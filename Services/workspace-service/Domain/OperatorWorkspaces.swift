import Contract
import Postgres
import ServiceKit
import Wire

/// The acts of operators on workspaces. They are in the audit log of the workspace too, without an actor.
struct OperatorWorkspaces: Sendable {
    let store: OperatorStore
    let roles: MemberRoles
    let acts: OperatorActStore

    static let mostListed = 200
    /// The mark in the audit log of a workspace, in place of an actor.
    private static let byOperator = ["by": "operator"]

    private var workspaces: Workspaces { roles.workspaces }
    private var members: MemberStore { workspaces.members }
    private var facts: WorkspaceFactPublisher { workspaces.facts }

    func show(_ id: WorkspaceID) async throws -> OperatorWorkspace {
        guard let workspace = try await store.find(id) else { throw Failure.notFound }
        return workspace
    }

    /// Makes a member the owner of the workspace and of its default channel. A guest becomes a member first.
    func handOver(_ id: WorkspaceID, to owner: UserID) async throws {
        let (changed, old, entered) = try await changing(id) { workspace, tx in
            guard let old = workspace.owner else { throw Failure(.refused, "A system workspace has no owner.") }
            guard old != owner else { throw Failure.invalid("The user already owns the workspace.") }
            guard !(try await members.isBot(owner, in: id, of: tx)) else {
                throw Failure(.refused, "A bot cannot own a workspace.")
            }
            let place = try await members.place(of: owner, in: id, in: tx)
            guard !place.isLockedOut else {
                throw Failure(.refused, "The new owner must set up a second factor first.")
            }
            var entered: Channel?
            switch place.role {
            case .outsider: throw Failure(.refused, "The new owner must be a member of the workspace.")
            case .guest: entered = try await workspaces.promoteGuest(owner, of: workspace, in: tx)
            default: break
            }
            try await workspaces.audit.record(
                AuditEvent(.ownershipTransferred, by: nil, to: owner, detail: Self.byOperator), of: id, in: tx)
            return (try await workspaces.setOwner(owner, of: id, in: tx), old, entered)
        }
        facts.hint(id)
        facts.hint(id, user: old)
        // A former guest sees more than before.
        facts.hint(id, user: owner)
        if let entered { facts.tell(.entered, of: id, .member(owner, of: entered.id)) }
        facts.tellOwner(of: changed.workspace, changed.channel)
    }

    /// Deletes the workspace with everything in it. System workspaces stay: their apps enter them.
    func close(_ id: WorkspaceID) async throws {
        guard try await show(id).slug == nil else {
            throw Failure(.refused, "A system workspace cannot be closed.")
        }
        try await workspaces.store.transaction(within: .seconds(60), attempts: 3) { tx in
            guard let workspace = try await workspaces.store.lock(id, in: tx) else { throw Failure.notFound }
            try await workspaces.store.delete(id, in: tx)
            try await facts.workspaceDeleted(workspace, in: tx)
        }
        facts.outbox.wake()
        facts.tell(.deleted, of: id, .workspace(nil))
        facts.hint(id)
    }

    /// Gives a member another role than owner.
    func setRole(_ role: WorkspaceRole, of member: UserID, in id: WorkspaceID) async throws {
        let moves = try await changing(id) { workspace, tx -> MemberRoles.Moves? in
            let old = try await members.role(of: member, in: id, in: tx)
            guard old != .outsider else { throw Failure.notFound }
            guard old != .owner else { throw Failure(.refused, "Hand the workspace over first.") }
            if role == .guest, try await members.ownsChannels(member, in: id, of: tx) {
                throw Failure(.refused, "The member must transfer their channels first.")
            }
            guard old != role else { return nil }
            let made = try await roles.assign(role, to: member, before: old, keeping: nil, in: workspace, tx)
            let detail = ["from": old.rawValue, "to": role.rawValue].merging(Self.byOperator) { old, _ in old }
            try await workspaces.audit.record(
                AuditEvent(.roleChanged, by: nil, to: member, detail: detail), of: id, in: tx)
            return made
        }
        if let moves { roles.tell(moves, of: member, in: id) }
    }

    /// The newest bans of the workspace.
    func bans(of id: WorkspaceID) async throws -> [Ban] {
        _ = try await show(id)
        return try await roles.bans.list(id, Page(before: nil, limit: Self.mostListed))
    }

    /// Lets a banned user come back, also to a system workspace, which nobody else could do there.
    func liftBan(of user: UserID, from id: WorkspaceID) async throws {
        try await changing(id) { _, tx in
            guard try await roles.bans.delete(user, in: id, tx) else { throw Failure.notFound }
            try await workspaces.audit.record(
                AuditEvent(.banLifted, by: nil, to: user, detail: Self.byOperator), of: id, in: tx)
        }
    }

    private func changing<Result>(
        _ id: WorkspaceID, _ body: (Workspace, PostgresTransaction) async throws -> Result
    ) async throws -> Result {
        try await facts.outbox.transaction { tx in
            guard let workspace = try await workspaces.store.lock(id, in: tx) else { throw Failure.notFound }
            return try await body(workspace, tx)
        }
    }
}
