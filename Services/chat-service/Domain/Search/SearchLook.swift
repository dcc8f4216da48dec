import Wire

/// One read of the search index: the newest candidates before a place.
struct SearchLook: Sendable, Equatable {
    enum Method: Sendable, Equatable {
        /// Checks this many of the newest entries of the workspace one by one: fast for words that many messages have.
        case newest(entries: Int)
        /// Finds entries by their grams: fast for words that few messages have.
        case grams
        /// Checks all entries from the newest, for queries without a gram.
        case all
    }

    let method: Method
    let before: SearchCursor
    /// Older entries are left to later looks; nil for none. The index has a part for each period.
    let from: Timestamp?
    /// The most candidates.
    let limit: Int
}
