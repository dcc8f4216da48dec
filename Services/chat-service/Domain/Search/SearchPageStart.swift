import Wire

/// The beginning of a page of results.
struct SearchPageStart: Sendable, Hashable {
    /// A place within matches that `best` orders together.
    struct Ranked: Sendable, Hashable {
        /// The points and the place of the last match that was shown. The place does not move if other matches come or go.
        let points: Int
        let last: SearchCursor
        /// The last match of those that are ordered together; nil if there are no older ones.
        let end: SearchCursor?
        /// Those of the first page; nil in a cursor of an earlier release.
        let favors: SearchFavors?
    }

    /// The page has messages after this one.
    let cursor: SearchCursor
    /// Nil unless `best` has shown some of the matches after `cursor`.
    let ranked: Ranked?

    init(cursor: SearchCursor, ranked: Ranked? = nil) {
        self.cursor = cursor
        self.ranked = ranked
    }

    /// Reads the form of `text`; nil for any other text.
    init?(_ text: String) {
        let halves = text.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = halves[0].split(separator: ".", omittingEmptySubsequences: false)
        guard let cursor = SearchCursor(parts.prefix(3)) else { return nil }
        self.cursor = cursor
        let favors = halves.count == 2 ? SearchFavors(halves[1]) : nil
        if halves.count == 2, favors == nil { return nil }
        switch parts.count {
        case 3 where favors == nil: ranked = nil
        case 7, 10:
            guard let points = Int(parts[3]), let last = SearchCursor(parts[4..<7]) else { return nil }
            let end = parts.count == 10 ? SearchCursor(parts[7...]) : nil
            if parts.count == 10, end == nil { return nil }
            ranked = Ranked(points: points, last: last, end: end, favors: favors)
        default: return nil
        }
    }

    /// The form that clients hand back: the cursor, and for `best` the points and the place of the last match, the end and the
    /// favors.
    var text: String {
        guard let ranked else { return cursor.text }
        let parts = [cursor.text, "\(ranked.points)", ranked.last.text] + (ranked.end.map { [$0.text] } ?? [])
        return parts.joined(separator: ".") + (ranked.favors.map { "~" + $0.text } ?? "")
    }
}
