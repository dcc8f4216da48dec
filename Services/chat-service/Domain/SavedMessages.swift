import Contract
import ServiceKit
import Wire

/// The bookmarks of users. They change nothing that others see, so they raise no revision.
struct SavedMessages: Sendable {
    let store: SavedStore
    let messages: MessageStore
    let details: MessageDetailStore
    let changes: MessageChanges
    let access: RoomAccess

    /// A bookmark with its message.
    struct Item: Sendable {
        let room: RoomID
        /// The name of a channel; nil for a DM.
        let name: String?
        let message: MessageBody
        let savedAt: Timestamp
    }

    /// Saves a message for a user and returns the message.
    func save(_ key: MessageKey, for user: UserID) async throws -> MessageBody {
        _ = try await changes.existing(key)
        try await store.save(key, for: user, at: .now)
        return try await changes.message(key, for: user)
    }

    /// Removes a bookmark and returns the message.
    func forget(_ key: MessageKey, for user: UserID) async throws -> MessageBody {
        let message = try await changes.message(key, for: user)
        try await store.forget(key, for: user)
        return message
    }

    /// A user's bookmarks of messages that the user may read now, newest first.
    ///
    /// - Returns: the items, and the cursor of the next page.
    func list(_ user: UserID, before cursor: Int64?, limit: Int) async throws -> (items: [Item], next: Int64?) {
        let bookmarks = try await store.list(user, before: cursor ?? .max, limit: limit)
        let names = try await access.names(ofReadable: Set(bookmarks.map(\.key.room)), by: user)
        var found = try await messages.find(bookmarks.map(\.key).filter { names[$0.room] != nil })
        try await details.fill(&found, for: .one(user))
        let bodies = Dictionary(zip(found.map(\.key), try await changes.bodies(found, for: user))) { first, _ in first }
        let items = bookmarks.compactMap { bookmark -> Item? in
            guard let body = bodies[bookmark.key] else { return nil }
            let room = bookmark.key.room
            return Item(room: room, name: names[room] ?? nil, message: body, savedAt: bookmark.savedAt)
        }
        return (items, bookmarks.count == limit ? bookmarks.last?.id : nil)
    }
}
