import Contract
import ServiceKit
import Wire

/// Counts the badges of users for their `/me` sockets: the same unread messages as a push shows.
struct Badges: Sendable {
    let store: BadgeStore
    let workspaces: WorkspaceClient
    let blocks: BlockCache

    /// The number of queries does not depend on the number of users.
    func count(_ users: [UserID]) async throws -> [BadgesReply.Badge] {
        try await store.badges(
            of: users, in: try await workspaces.memberships(of: users), hiding: try await blocks.blocks(of: users))
    }
}
