import Contract
import ServiceKit
import Wire

/// The messages of a workspace that mention a user.
struct MentionInbox: Sendable {
    let store: MentionStore
    let messages: MessageStore
    let details: MessageDetailStore
    let changes: MessageChanges
    let access: RoomAccess

    /// A message that mentions the user.
    struct Item: Sendable {
        let room: RoomID
        /// The name of a channel; nil for a DM.
        let name: String?
        let message: MessageBody
    }

    /// The messages of others that the user may read now, newest first, below a cursor. Authors that the user has blocked do
    /// not mention the user.
    ///
    /// - Returns: the items, and the cursor of the next page.
    func list(
        _ user: UserID, in workspace: WorkspaceID, before cursor: Int64?, limit: Int
    ) async throws -> (items: [Item], next: Int64?) {
        let names = try await access.rooms(of: user, in: workspace)
        let hits = try await store.list(
            of: user, hiding: try await changes.blocks.blocked(by: user), in: Array(names.keys), of: workspace,
            before: cursor ?? .max, limit: limit)
        var found = try await messages.find(hits.map(\.key))
        try await details.fill(&found, for: .one(user))
        let bodies = Dictionary(zip(found.map(\.key), try await changes.bodies(found, for: user))) { first, _ in first }
        let items = hits.compactMap { hit in
            bodies[hit.key].map { Item(room: hit.key.room, name: names[hit.key.room] ?? nil, message: $0) }
        }
        return (items, hits.count == limit ? hits.last?.id : nil)
    }
}
