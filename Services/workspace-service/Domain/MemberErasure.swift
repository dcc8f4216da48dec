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
    func erase(_ user: UserID) async throws {
        while case let ids = try await store.memberships(of: user, limit: Self.batchSize), !ids.isEmpty {
            for id in ids { try await leave(id, user) }
        }
        try await store.erase(user)
        covers.removeUnused()
    }

    /// The workspaces that a user owns and that have other members.
    func shared(ownedBy user: UserID) async throws -> [WorkspaceID] { try await store.shared(ownedBy: user) }

    private func leave(_ id: WorkspaceID, _ user: UserID) async throws {
        try await workspaces.changing(id, by: user, admitsLockedOut: true) { workspace, role, tx in
            guard role != .outsider else { return }
            var owner = workspace.owner
            if role == .owner {
                // Someone may have joined since auth-service asked for shared workspaces.
                guard let successor = try await store.successor(of: user, in: id, tx) else {
                    try await workspaces.store.delete(id, in: tx)
                    return try await workspaces.facts.workspaceDeleted(workspace, in: tx)
                }
                if try await workspaces.members.role(of: successor, in: id, in: tx) == .guest {
                    try await workspaces.promoteGuest(successor, of: workspace, in: tx)
                }
                try await workspaces.setOwner(successor, of: id, in: tx)
                owner = successor
            }
            if let owner {
                try await workspaces.handOverChannels(of: user, in: workspace, to: owner, tx)
            } else {
                try await store.disown(user, in: id, tx)
            }
            try await workspaces.members.remove(user, from: id, in: tx)
            try await workspaces.facts.memberRemoved(user, from: workspace, in: tx)
        }
        workspaces.facts.tell(.gone, of: id, .member(user, of: nil))
        workspaces.facts.hint(id)
    }
}
