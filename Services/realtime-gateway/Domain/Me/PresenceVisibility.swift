import Contract
import Wire

/// Decides which users may see the presence of others: those that share a workspace, unless one has blocked the other.
///
/// It asks about blocks anew, because a cache of another loop may hear of a block later than this one.
struct PresenceVisibility: Sendable {
    let workspaces: WorkspaceClient
    let auth: AuthClient

    /// The users among `others` that the user may see. Costs one call to each service.
    func visible(to user: UserID, among others: Set<UserID>) async throws -> Set<UserID> {
        if others.isEmpty { return [] }
        async let known = workspaces.acquaintances(of: user, among: Array(others))
        let blocks = try await auth.blocks(of: [user]).first
        var visible = try await known
        if others.contains(user) { visible.insert(user) }
        return visible.subtracting(blocks?.blocked ?? []).subtracting(blocks?.blockers ?? [])
    }
}
