import Contract
import ServiceKit
import Wire

/// Counts the badges of users for their `/me` sockets: the same unread messages as a push shows.
struct Badges: Sendable {
    let store: BadgeStore
    let workspaces: WorkspaceClient
    let blocks: BlockCache

    /// The number of queries does not depend on the number of users. While workspaces are out of reach, the badges are those of the others.
    func count(_ users: [UserID]) async throws -> BadgesReply {
        let (channels, hidden) = (try await workspaces.memberships(of: users), try await blocks.blocks(of: users))
        let scope = BadgeStore.Scope(of: users, in: channels, hiding: hidden)
        guard let counts = try await store.badges(of: scope) else { throw Failure.unavailable }
        let badges = users.map {
            BadgesReply.Badge(user: $0, unread: counts.unread[$0] ?? 0, mentions: counts.mentions[$0] ?? 0)
        }
        return BadgesReply(badges: badges, isPartial: counts.isPartial)
    }
}
