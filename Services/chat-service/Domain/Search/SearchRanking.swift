import Contract
import Wire

/// The order of `best` among matches. Between the pages of one ranking the points of a match change with its own text alone.
struct SearchRanking: Sendable {
    /// A match with its place in the order.
    struct Ranked: Sendable {
        let match: SearchMatch
        let points: Int
    }

    private let user: UserID
    /// Channels in which the user wrote one of the matches.
    private let ownRooms: Set<RoomID>
    /// The roots of threads that the user follows.
    private let threads: Set<SearchFavors.Thread>
    private let newest: Timestamp

    /// - Parameters:
    ///   - favors: those of the first page.
    ///   - newest: when the newest match was sent. It may have been deleted since the first page.
    init(_ favors: SearchFavors, for user: UserID, newest: Timestamp) {
        self.user = user
        self.newest = newest
        ownRooms = Set(favors.rooms)
        threads = Set(favors.threads)
    }

    /// The matches, best first. Of equal ones the newer comes first.
    ///
    /// - Parameter matches: newest first.
    func ranked(_ matches: [SearchMatch]) -> [Ranked] {
        let ranked = matches.map { Ranked(match: $0, points: points(of: $0)) }
        return ranked.indices.sorted { (-ranked[$0].points, $0) < (-ranked[$1].points, $1) }.map { ranked[$0] }
    }

    /// A phrase weighs more than everything else together but the beginnings of words; recency decides among similar texts.
    func points(of match: SearchMatch) -> Int {
        let message = match.message
        let thread = SearchFavors.Thread(room: message.room, root: message.threadKey.seq)
        let isOwnRoom = message.room.kind == .dm || ownRooms.contains(message.room)
        return match.fit.points + (message.author == user ? 2 : 0) + (threads.contains(thread) ? 2 : 0)
            + (isOwnRoom ? 1 : 0) + recency(message.createdAt)
    }

    /// Measured from the newest match: three points for a day, two for a week and one for 30 days.
    private func recency(_ moment: Timestamp) -> Int {
        let days = (newest.milliseconds - moment.milliseconds) / 86_400_000
        return days < 1 ? 3 : days < 7 ? 2 : days < 30 ? 1 : 0
    }
}

extension StoredMessage {
    /// The root of the thread that the message is in or could begin.
    var threadKey: MessageKey { MessageKey(key.roomKey, seq: traits?.thread?.root ?? seq) }
}

extension SearchPageStart.Ranked {
    /// Whether a match comes after those that were shown.
    func isBefore(_ ranked: SearchRanking.Ranked) -> Bool {
        ranked.points == points ? SearchCursor(ranked.match.message).isAfter(last) : ranked.points < points
    }
}
