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
        /// Nil for every room of the caller.
        var rooms: Set<RoomID>?
        var traits: SearchEntry.Traits = []
        var after: Timestamp?
        var before: Timestamp?
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
