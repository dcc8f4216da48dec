import Contract
import Wire

/// Removes a deleted account from all workspaces. A workspace without another member is deleted; the channels of the user
/// pass to the owner of their workspace.
struct MemberErasure: Sendable {
    let workspaces: Workspaces
    let store: ErasureStore
    let covers: CoverImages

    private static let batchSize = 100

    /// Repeating it changes nothing.
    ///
    /// - Parameter addresses: the spellings of the user's email, at which invitations may have reached them.
    func erase(_ user: UserID, invitedAt addresses: [String]) async throws {
        while case let ids = try await store.memberships(of: user, limit: Self.batchSize), !ids.isEmpty {
            for id in ids { try await leave(id, user) }
        }
        try await store.erase(user, invitedAt: addresses)
        covers.removeUnused()
    }

    /// The workspaces that a user owns and that have other members.
    func shared(ownedBy user: UserID) async throws -> [WorkspaceID] { try await store.shared(ownedBy: user) }

    private func leave(_ id: WorkspaceID, _ user: UserID) async throws {
        let (transferred, entered, passedOn) = try await workspaces.changing(id, by: user, admitsLockedOut: true) {
            workspace, role, tx -> ((workspace: Workspace, channel: Channel?)?, Channel?, [Channel]) in
            guard role != .outsider else { return (nil, nil, []) }
            var owner = workspace.owner
            var transferred: (workspace: Workspace, channel: Channel?)?
            var entered: Channel?
            if role == .owner {
                // Someone may have joined since auth-service asked for shared workspaces.
                guard let successor = try await store.successor(of: user, in: id, tx) else {
                    try await workspaces.store.delete(id, in: tx)
                    try await workspaces.facts.workspaceDeleted(workspace, in: tx)
                    return (nil, nil, [])
                }
                if try await workspaces.members.role(of: successor, in: id, in: tx) == .guest {
                    entered = try await workspaces.promoteGuest(successor, of: workspace, in: tx)
                }
                transferred = try await workspaces.setOwner(successor, of: id, in: tx)
                owner = successor
            }
            var passedOn: [Channel] = []
            if let owner {
                passedOn = try await workspaces.handOverChannels(of: user, in: workspace, to: owner, tx)
            } else {
                try await store.disown(user, in: id, tx)
            }
            try await workspaces.members.remove(user, from: id, in: tx)
            try await workspaces.facts.memberRemoved(user, from: workspace, in: tx)
            return (transferred, entered, passedOn)
        }
        workspaces.facts.tell(.gone, of: id, .member(user, of: nil))
        if let transferred { workspaces.facts.tellOwner(of: transferred.workspace, transferred.channel) }
        if let owner = transferred?.workspace.owner {
            // A former guest sees more than before.
            workspaces.facts.hint(id, user: owner)
            if let entered { workspaces.facts.tell(.entered, of: id, .member(owner, of: entered.id)) }
        }
        workspaces.facts.tellOwner(of: passedOn)
        workspaces.facts.hint(id)
    }
}
