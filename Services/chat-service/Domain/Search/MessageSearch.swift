import Contract
import EventLoop
import Search
import ServiceKit
import Telemetry
import Wire

/// Searches the messages that a user may read now.
struct MessageSearch: Sendable {
    let access: RoomAccess
    let names: SearchNames
    let store: SearchStore
    let profiles: ProfileCache
    let blocks: BlockCache
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

    /// The matches that end a walk. On a later page of `best` they may be more than on the first one: a message that is edited
    /// meanwhile may come to match.
    static func wanted(by request: SearchRequest) -> Int {
        guard request.order == .best else { return request.limit }
        return request.start?.ranked == nil ? ranked : 2 * ranked
    }

    /// Comparisons of a word with a message that are made at a time.
    private static let comparisonsAtOnce = 800

    /// Messages that are read and compared at a time: fewer for many words. The loop serves others before the next ones.
    static func messagesAtOnce(_ query: SearchQuery) -> Int {
        min(100, max(1, comparisonsAtOnce / max(1, query.terms.count)))
    }

    /// Returns a page of a search; throws `notFound` unless the user is a member of the workspace.
    ///
    /// - Parameters:
    ///   - typed: the filters, which are resolved within the limit of the user's searches.
    ///   - zone: the time zone of days; nil for the user's own.
    func page(
        _ request: SearchRequest, _ typed: [SearchQuery.TypedFilter], in zone: String?, for user: UserID
    ) async throws -> Page {
        let deadline = SearchDeadline(after: timeLimit)
        try await access.requireMember(user, of: request.workspace)
        return try await limiter.run(for: user) {
            var request = request
            let readable = SearchRooms(
                channels: try await access.channels(of: user, in: request.workspace),
                dms: try await access.dms(of: user, in: request.workspace))
            request.filters = try await names.filters(
                typed, in: request.workspace, among: readable, for: user, zone: zone)
            // A blocker finds no message of the blocked author. The blocked author still finds the blocker's messages.
            request.filters.hiddenAuthors.formUnion(try await blocks.blocks(of: user).blocked)
            let rooms = readable.names(request.filters)
            if rooms.isEmpty || request.filters.authors?.isEmpty == true {
                return Page(hits: [], next: nil, isComplete: true)
            }
            // It comes before the walk, which misses the messages that are indexed meanwhile.
            let isIndexed = try await store.isComplete(
                for: Array(rooms.keys), of: request.workspace, until: deadline)
            let walk = try await walk(request, in: Array(rooms.keys), for: user, until: deadline)
            var threads: Set<MessageKey>? = []
            if request.order == .best, request.start?.ranked?.favors == nil {
                let keys = Set(walk.matches.map(\.message.threadKey))
                threads = try await store.followed(keys, in: request.workspace, by: user, until: deadline)
            }
            let isComplete = walk.isComplete && isIndexed == true && threads != nil
            if !isComplete { metrics.incomplete.increment() }
            let (matches, next) = Self.page(of: walk, request, for: user, following: threads)
            return Page(hits: try await hits(matches, rooms), next: next, isComplete: isComplete)
        }
    }

    private func walk(
        _ request: SearchRequest, in rooms: [RoomID], for user: UserID, until deadline: SearchDeadline
    ) async throws -> SearchWalk {
        let conditions = SearchConditions(request, rooms: rooms)
        var walk = SearchWalk(request, wanted: Self.wanted(by: request), hasGrams: conditions.hasGrams)
        while case .looking(let look) = walk.state {
            guard let candidates = try await store.candidates(conditions, look, until: deadline) else {
                walk.runOutOfTime()
                return walk
            }
            var rest = candidates[...]
            while !rest.isEmpty, case .looking = walk.state {
                let part = Array(rest.prefix(Self.messagesAtOnce(request.query)))
                rest = rest.dropFirst(part.count)
                guard
                    let found = try await store.messages(
                        part, in: request.workspace, for: user, until: deadline)
                else {
                    walk.runOutOfTime()
                    return walk
                }
                walk.check(part, found)
            }
            walk.endLook(candidates.count)
        }
        return walk
    }

    /// The matches of a page in their order, and the next page. `best` orders the newest matches; once its pages have shown
    /// them, the next page begins with older ones.
    ///
    /// - Parameter threads: those of the threads of the matches that the user follows; nil if the time was over before.
    static func page(
        of walk: SearchWalk, _ request: SearchRequest, for user: UserID, following threads: Set<MessageKey>? = []
    ) -> (matches: [SearchMatch], next: SearchPageStart?) {
        guard request.order == .best else {
            return (walk.matches, walk.next.map { SearchPageStart(cursor: $0) })
        }
        let (shown, first) = (request.start?.ranked, walk.matches.first.map { SearchCursor($0.message) })
        let hasAllMatches = shown.map { walk.hasReached($0.end) } ?? true
        guard let threads, hasAllMatches else { return unrankedPage(of: walk, request) }
        let older = walk.next.map { SearchPageStart(cursor: $0) }
        guard let start = shown == nil ? first?.justBefore : request.start?.cursor else { return ([], older) }
        let favors = shown?.favors ?? SearchFavors(of: walk.matches, for: user, following: threads)
        let ranking = SearchRanking(favors, for: user, newest: start.createdAt)
        let ranked = ranking.ranked(walk.matches).drop { match in shown.map { !$0.isBefore(match) } ?? false }
        let page = ranked.prefix(request.limit)
        guard ranked.count > page.count, let last = page.last else { return (page.map(\.match), older) }
        let place = SearchPageStart.Ranked(
            points: last.points, last: SearchCursor(last.match.message), end: walk.next, favors: favors)
        return (page.map(\.match), SearchPageStart(cursor: start, ranked: place))
    }

    /// The page of `best` if the time was over before its matches could be ranked. A first page is by time, and the next one ranks
    /// the older matches. The order of a later page would not be that of the pages before, so the page stays the next one.
    private static func unrankedPage(
        of walk: SearchWalk, _ request: SearchRequest
    ) -> (matches: [SearchMatch], next: SearchPageStart?) {
        if request.start?.ranked != nil { return ([], request.start) }
        let matches = Array(walk.matches.prefix(request.limit))
        let end = matches.count < walk.matches.count ? matches.last.map { SearchCursor($0.message) } : walk.next
        return (matches, end.map { SearchPageStart(cursor: $0) })
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
