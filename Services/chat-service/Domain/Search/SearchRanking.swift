import Contract
import Wire

/// The order of `best` among matches. It depends on nothing but the matches and the user, so that the pages of one ranking
/// agree.
struct SearchRanking: Sendable {
    /// A match with its place in the order.
    struct Ranked: Sendable {
        let match: SearchMatch
        let points: Int
    }

    private let user: UserID
    /// DMs, and rooms in which the user wrote one of the matches.
    private let ownRooms: Set<RoomID>
    /// The roots of threads that the user follows.
    private let threads: Set<MessageKey>
    private let newest: Timestamp

    /// - Parameters:
    ///   - matches: the matches to rank.
    ///   - threads: those of the threads of the matches that the user follows.
    ///   - newest: when the newest match was sent. It may have been deleted since the first page.
    init(_ matches: [SearchMatch], for user: UserID, following threads: Set<MessageKey> = [], newest: Timestamp) {
        self.user = user
        self.threads = threads
        self.newest = newest
        ownRooms = Set(
            matches.map(\.message).filter { $0.room.kind == .dm || $0.author == user }.map(\.room))
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
        return match.fit.points + (message.author == user ? 2 : 0) + (threads.contains(message.threadKey) ? 2 : 0)
            + (ownRooms.contains(message.room) ? 1 : 0) + recency(message.createdAt)
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
