import Contract
import Search
import Wire

/// A search, after names in it have been resolved to members, rooms and moments.
struct SearchRequest: Sendable {
    enum Order: String, Sendable {
        /// Newest first.
        case recent
        /// Exact phrases and beginnings of words first, then own and newer messages; see `SearchRanking`.
        case best
    }

    /// Conditions beside the text.
    struct Filters: Sendable {
        var authors: [UserID]?
        /// Nothing of these is found: authors that the query excludes, and those that the caller has blocked.
        var hiddenAuthors: Set<UserID> = []
        /// Nil for every room of the caller.
        var rooms: Set<RoomID>?
        var excludedRooms: Set<RoomID> = []
        var traits: SearchEntry.Traits = []
        var excludedTraits: SearchEntry.Traits = []
        var after: Timestamp?
        var before: Timestamp?

        /// Whether messages of a room are found if the caller may read them.
        func allow(_ room: RoomID) -> Bool { rooms?.contains(room) ?? true && !excludedRooms.contains(room) }

        /// Whether messages of an author with these traits are found.
        func allow(_ author: UserID, _ traits: SearchEntry.Traits) -> Bool {
            !hiddenAuthors.contains(author) && authors?.contains(author) ?? true
                && traits.isSuperset(of: self.traits) && traits.isDisjoint(with: excludedTraits)
        }
    }

    let workspace: WorkspaceID
    let query: SearchQuery
    var filters = Filters()
    let order: Order
    /// Nil for the first page.
    let start: SearchPageStart?
    let limit: Int

    static let maxLength = 200
}
