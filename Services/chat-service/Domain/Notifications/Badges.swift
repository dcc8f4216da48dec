import Contract
import ServiceKit
import Wire

/// Counts the badges of users for their `/me` sockets: the same unread messages as a push shows.
struct Badges: Sendable {
    let store: BadgeStore
    let workspaces: WorkspaceClient
    let blocks: BlockCache
    let wide: WideReads

    /// The number of queries does not depend on the number of users. A badge is of all workspaces, so none is counted while one is out of
    /// reach.
    func count(_ users: [UserID]) async throws -> [BadgesReply.Badge] {
        let (channels, hidden) = (try await workspaces.memberships(of: users), try await blocks.blocks(of: users))
        let badges = try await wide.attempt { try await store.badges(of: users, in: channels, hiding: hidden) }
        guard let badges else { throw Failure.unavailable }
        return badges
    }
}
