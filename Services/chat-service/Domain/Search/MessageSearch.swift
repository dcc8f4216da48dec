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
        let next: SearchCursor?
        /// Whether every message that matches is among the hits or after `next`.
        let isComplete: Bool
    }

    /// Candidates of the first look and of any later one. Most queries fill a page with the first.
    private static let firstLook = 100
    private static let largestLook = 2000
    /// Matches among which `best` chooses.
    private static let ranked = 400
    /// A room that is behind by fewer messages is being indexed now.
    private static let toleratedBacklog = 1000

    /// Returns a page of a search; throws `notFound` unless the user is a member of the workspace.
    func page(_ request: SearchRequest, for user: UserID) async throws -> Page {
        try await access.requireMembers([user], of: request.workspace)
        return try await limiter.run(for: user) {
            let rooms = try await readable(request, by: user)
            if rooms.isEmpty { return Page(hits: [], next: nil, isComplete: true) }
            var matches = try await search(request, in: Array(rooms.keys), for: user)
            if try await store.countRoomsBehind(Array(rooms.keys), by: Self.toleratedBacklog) > 0 {
                matches.isComplete = false
            }
            if !matches.isComplete { metrics.incomplete.increment() }
            return try await shown(matches, rooms)
        }
    }

    /// The names of the rooms that the user may read and the request asks for; nil for a DM.
    private func readable(_ request: SearchRequest, by user: UserID) async throws -> [RoomID: String?] {
        let channels = try await access.channels(of: user, in: request.workspace).map { ($0.room, Optional($0.name)) }
        let dms = try await access.dms(of: user, in: request.workspace).map { ($0.room, String?.none) }
        let wanted = request.filters.rooms
        return Dictionary((channels + dms).filter { wanted?.contains($0.0) ?? true }) { first, _ in first }
    }

    /// Matches before their authors are known.
    private struct Matches {
        /// Newest first, or the best first.
        var found: [SearchMatch] = []
        var next: SearchCursor?
        var isComplete = true

        /// Keeps the best matches. There is no next page then: older matches were never compared with these.
        mutating func rank(to limit: Int) {
            found = Array(found.sorted { $0.score > $1.score }.prefix(limit))
            next = nil
        }
    }

    private func search(_ request: SearchRequest, in rooms: [RoomID], for user: UserID) async throws -> Matches {
        let end = EventLoop.preciseNow + timeLimit.wholeNanoseconds
        let conditions = SearchStore.Conditions(request, rooms: rooms)
        let wanted = request.order == .best ? Self.ranked : request.limit
        var matches = Matches()
        var cursor = request.cursor ?? .newest
        var look = Self.firstLook
        walk: while true {
            let now = EventLoop.preciseNow
            guard now < end,
                let candidates = try await store.candidates(
                    conditions, before: cursor, limit: look, within: .nanoseconds(Int64(end - now)))
            else {
                matches.isComplete = false
                break
            }
            var found = try await messages.find(candidates.map { MessageKey(room: $0.room, seq: $0.seq) })
            try await details.fill(&found, for: .one(user))
            let texts = Dictionary(found.map { (SearchCursor($0), $0) }) { first, _ in first }
            for candidate in candidates {
                cursor = candidate
                guard let text = texts[candidate], let match = SearchMatch(text, to: request) else { continue }
                matches.found.append(match)
                if matches.found.count == wanted {
                    matches.next = cursor
                    break walk
                }
            }
            if candidates.count < look { break }
            look = min(4 * look, Self.largestLook)
        }
        if request.order == .best { matches.rank(to: request.limit) }
        return matches
    }

    private func shown(_ matches: Matches, _ names: [RoomID: String?]) async throws -> Page {
        let people = try await profiles.members(matches.found.map(\.message).people)
        let hits = matches.found.map { match in
            Hit(
                room: match.message.room, roomName: names[match.message.room] ?? nil,
                message: match.message.body(people), highlights: match.highlights)
        }
        return Page(hits: hits, next: matches.next, isComplete: matches.isComplete)
    }
}
