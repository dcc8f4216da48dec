import Contract
import EventLoop
import Search
import ServiceKit
import Telemetry
import Wire

/// Searches the messages that a user may read now.
struct MessageSearch: Sendable {
    let access: RoomAccess
    let store: SearchStore
    let messages: MessageStore
    let details: MessageDetailStore
    let profiles: ProfileCache
    let limiter: SearchLimiter
    let metrics: SearchMetrics
    /// A search ends after this time with the messages that it has found.
    let timeLimit: Duration

    /// A found message and the places of the query's terms in its content, in UTF-16 units.
    struct Hit: Sendable {
        let room: RoomID
        /// The name of a channel; nil for a DM.
        let roomName: String?
        let message: MessageBody
        let highlights: [Range<Int>]
    }

    struct Page: Sendable {
        let hits: [Hit]
        let next: SearchPageStart?
        /// Whether every message that matches is among the hits or after `next`.
        let isComplete: Bool
    }

    /// Matches that `best` orders at a time; older ones come after all of them.
    static let ranked = 400
    /// A room that is behind by fewer messages is being indexed now.
    private static let toleratedBacklog = 1000

    /// Returns a page of a search; throws `notFound` unless the user is a member of the workspace.
    func page(_ request: SearchRequest, for user: UserID) async throws -> Page {
        try await access.requireMembers([user], of: request.workspace)
        return try await limiter.run(for: user) {
            let rooms = try await readable(request, by: user)
            if rooms.isEmpty || request.filters.authors?.isEmpty == true {
                return Page(hits: [], next: nil, isComplete: true)
            }
            let walk = try await walk(request, in: Array(rooms.keys), for: user)
            let isIndexed = try await store.countRoomsBehind(Array(rooms.keys), by: Self.toleratedBacklog) == 0
            let isComplete = walk.isComplete && isIndexed
            if !isComplete { metrics.incomplete.increment() }
            let (matches, next) = Self.page(of: walk, request, for: user)
            return Page(hits: try await hits(matches, rooms), next: next, isComplete: isComplete)
        }
    }

    /// The names of the rooms that the user may read and the request asks for; nil for a DM.
    private func readable(_ request: SearchRequest, by user: UserID) async throws -> [RoomID: String?] {
        let channels = try await access.channels(of: user, in: request.workspace).map { ($0.room, Optional($0.name)) }
        let dms = try await access.dms(of: user, in: request.workspace).map { ($0.room, String?.none) }
        let wanted = request.filters.rooms
        return Dictionary((channels + dms).filter { wanted?.contains($0.0) ?? true }) { first, _ in first }
    }

    private func walk(_ request: SearchRequest, in rooms: [RoomID], for user: UserID) async throws -> SearchWalk {
        let end = EventLoop.preciseNow + timeLimit.wholeNanoseconds
        let conditions = SearchConditions(request, rooms: rooms)
        var walk = SearchWalk(
            request, wanted: request.order == .best ? Self.ranked : request.limit, hasGrams: conditions.hasGrams)
        while case .looking(let look) = walk.state {
            let now = EventLoop.preciseNow
            guard now < end,
                let candidates = try await store.candidates(
                    conditions, look, within: .nanoseconds(Int64(end - now)))
            else {
                walk.runOutOfTime()
                break
            }
            var found = try await messages.find(candidates.map { MessageKey(room: $0.room, seq: $0.seq) })
            try await details.fill(&found, for: .one(user))
            walk.take(candidates, found)
        }
        return walk
    }

    /// The matches of a page in their order, and the next page. `best` orders the newest matches; once its pages have shown
    /// them, the next page begins with older ones.
    static func page(
        of walk: SearchWalk, _ request: SearchRequest, for user: UserID
    ) -> (matches: [SearchMatch], next: SearchPageStart?) {
        let older = walk.next.map { SearchPageStart(cursor: $0) }
        guard request.order == .best, let newest = walk.matches.first else { return (walk.matches, older) }
        let shown = request.start?.shown ?? 0
        let page = SearchRanking.ranked(walk.matches, for: user).dropFirst(shown).prefix(request.limit)
        if shown + request.limit >= walk.matches.count { return (Array(page), older) }
        // Messages that are sent meanwhile must not move those of the next page.
        let start = request.start?.cursor ?? SearchCursor(newest.message).justBefore
        return (Array(page), SearchPageStart(cursor: start, shown: shown + request.limit))
    }

    private func hits(_ matches: [SearchMatch], _ names: [RoomID: String?]) async throws -> [Hit] {
        let people = try await profiles.members(matches.map(\.message).people)
        return matches.map { match in
            Hit(
                room: match.message.room, roomName: names[match.message.room] ?? nil,
                message: match.message.body(people), highlights: match.highlights)
        }
    }
}
