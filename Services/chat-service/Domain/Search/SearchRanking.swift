import Contract
import Wire

/// The order of `best` among matches. It depends on nothing but the matches, so that the pages of one ranking agree.
struct SearchRanking: Sendable {
    private let user: UserID
    /// DMs, and rooms in which the user wrote one of the matches.
    private let ownRooms: Set<RoomID>
    private let newest: Timestamp

    /// - Parameter matches: the matches to rank, newest first.
    init(_ matches: [SearchMatch], for user: UserID) {
        self.user = user
        newest = matches.first?.message.createdAt ?? .now
        ownRooms = Set(
            matches.map(\.message).filter { $0.room.kind == .dm || $0.author == user }.map(\.room))
    }

    /// The matches, best first. Of equal ones the newer comes first.
    static func ranked(_ matches: [SearchMatch], for user: UserID) -> [SearchMatch] {
        let ranking = SearchRanking(matches, for: user)
        let points = matches.map(ranking.points)
        return matches.indices.sorted { (-points[$0], $0) < (-points[$1], $1) }.map { matches[$0] }
    }

    /// A phrase weighs more than everything else together but the beginnings of words; recency decides among similar texts.
    func points(of match: SearchMatch) -> Int {
        let message = match.message
        return match.fit.points + (message.author == user ? 2 : 0) + (ownRooms.contains(message.room) ? 1 : 0)
            + recency(message.createdAt)
    }

    /// Measured from the newest match: three points for a day, two for a week and one for 30 days.
    private func recency(_ moment: Timestamp) -> Int {
        let days = (newest.milliseconds - moment.milliseconds) / 86_400_000
        return days < 1 ? 3 : days < 7 ? 2 : days < 30 ? 1 : 0
    }
}
