import Contract
import ServiceKit
import Wire

/// Reads history for `/me` sockets: pages that fit into the output of a socket.
struct MeHistory: Sendable {
    let conversations: Conversations

    /// Bytes of content in a page. With names, files and reactions it stays below the output limit of a socket.
    private static let pageBytes = 128 * 1024
    /// Bytes of reactions and mentions in a page: a message may have more than 100 kilobytes.
    private static let reactionBytes = 256 * 1024

    /// Reads on after a seq, or the page before one, as the public route does: without the replies that are in their threads
    /// alone, and with the same effect on the read marker.
    func read(
        _ anchor: HistoryRequest.Anchor, limit: Int, of target: MessageTarget, by user: UserID,
        for profile: ClientProfile
    ) async throws -> [MessageBody] {
        let request = HistoryRequest(anchor: anchor, limit: limit, withThreads: false)
        let ((part, page), stores) = try await conversations.history.read(target.key, seen: request.seen) { stores in
            let part = try await conversations.part(request, of: target.key, for: profile, in: stores.messages)
            return (
                part, try await self.page(of: target.key, part, keepsNewest: !request.readsOn, for: user, in: stores)
            )
        }
        if part.isRead, page.end > 0 {
            if stores.isPrimary {
                try await conversations.advanceIfPossible(user, in: target, to: page.end)
            } else {
                conversations.deferred.add(user, in: target, to: page.end)
            }
        }
        return page.messages
    }

    /// The messages of a part, oldest first.
    ///
    /// - Parameter keepsNewest: whether the newest messages of the part are kept when not all fit; else the oldest.
    private func page(
        of room: RoomKey, _ part: Conversations.Part, keepsNewest: Bool, for user: UserID, in stores: HistoryStores
    ) async throws -> (messages: [MessageBody], end: Int64) {
        var (start, after, through) = (part.after, part.after, part.through)
        while true {
            var stored = try await stores.messages.page(
                of: room, after: after, through: through, limit: Int(max(0, through - after)), bytes: Self.pageBytes,
                inTimeline: part.inTimeline)
            if stored.isEmpty, after > start {
                // The newer half has nothing but replies in their threads alone, so the newest messages are in the older one.
                (after, through) = (start, after)
                continue
            }
            // The page ends where it is full: then the newest messages are missing.
            let isFull = stored.reduce(0) { $0 + $1.content.utf8.count } >= Self.pageBytes
            if isFull, keepsNewest, let last = stored.last, last.seq < through {
                (start, after) = (after, through - (through - after) / 2)
                continue
            }
            try await stores.details.fill(&stored, for: .one(user))
            let people = try await conversations.profiles.members(stored.people)
            let blocked = try await conversations.blocks.blocked(by: user)
            let all = stored.map { $0.body(people).hiding(blocked) }
            let messages = keepsNewest ? Array(Self.fitting(all.reversed()).reversed()) : Self.fitting(all)
            let isPartial = isFull || messages.count < all.count
            return (messages, isPartial && !keepsNewest ? messages.last?.seq ?? part.through : part.through)
        }
    }

    /// The first messages with reactions and mentions that fit into a page; at least one.
    static func fitting(_ messages: some Sequence<MessageBody>) -> [MessageBody] {
        var left = reactionBytes
        var kept: [MessageBody] = []
        for message in messages {
            left -= message.reactionBytes + message.mentionBytes
            if left < 0, !kept.isEmpty { break }
            kept.append(message)
        }
        return kept
    }
}
