import Contract
import ServiceKit
import Wire

/// Reads history for `/me` sockets: pages that fit into the output of a socket.
struct MeHistory: Sendable {
    let conversations: Conversations

    /// Bytes of content in a page. With names, files and reactions it stays far below the output limit of a socket.
    private static let pageBytes = 128 * 1024

    /// The messages above `after` and up to `through`, oldest first.
    ///
    /// - Parameter keepsNewest: whether the newest messages of the range are kept when not all fit; else the oldest.
    func page(
        of room: RoomID, after: Int64, through: Int64, keepsNewest: Bool, for user: UserID
    ) async throws -> (messages: [MessageBody], end: Int64) {
        var after = after
        while true {
            var stored = try await conversations.messages.page(
                of: room, after: after, through: through, limit: Int(max(0, through - after)), bytes: Self.pageBytes)
            // The page ends where it is full: then the newest messages are missing.
            let isFull = stored.reduce(0) { $0 + $1.content.utf8.count } >= Self.pageBytes
            if isFull, keepsNewest, stored.count > 1, through - after > 1 {
                after = through - (through - after) / 2
                continue
            }
            try await conversations.details.fill(&stored, for: .one(user))
            let authors = try await conversations.profiles.members(stored.map(\.author))
            let messages = stored.map { $0.body(by: authors[$0.author] ?? .deleted($0.author)) }
            return (messages, isFull ? messages.last?.seq ?? through : through)
        }
    }

    /// Reads on after a seq, and moves the read marker as the public route does.
    func read(after seq: Int64, limit: Int, of room: RoomID, by user: UserID) async throws -> [MessageBody] {
        let head = try await conversations.messages.head(of: room)
        let (after, through) = HistoryRange.after(seq, limit: limit).part(upTo: head)
        let page = try await page(of: room, after: after, through: through, keepsNewest: false, for: user)
        if page.end > 0 { try await conversations.readMarkers.advance(user, in: room, to: page.end) }
        return page.messages
    }

    /// Reads the page before a seq.
    func read(before seq: Int64, limit: Int, of room: RoomID, by user: UserID) async throws -> [MessageBody] {
        let head = try await conversations.messages.head(of: room)
        let (after, through) = HistoryRange.before(seq, limit: limit).part(upTo: head)
        let page = try await page(of: room, after: after, through: through, keepsNewest: true, for: user)
        if through == head, head > 0 { try await conversations.readMarkers.advance(user, in: room, to: head) }
        return page.messages
    }
}
