import Contract
import Wire

/// Decides about the sight of presence: it is for members of a common workspace, and never crosses a block.
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
