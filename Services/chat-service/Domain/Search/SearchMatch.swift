import Search
import Wire

/// A message that matches a query by its text.
struct SearchMatch: Sendable {
    let message: StoredMessage
    /// The places of the terms in the content, in UTF-16 units, from left to right.
    let highlights: [Range<Int>]
    /// Higher for matches that begin a word or the message. `best` orders by it, and newer messages come first among equals.
    let score: Int

    /// Returns nil unless the content or the name of a file has every required term, and none has an excluded one. The index
    /// may be older than the message, so its traits are checked as well.
    init?(_ message: StoredMessage, to request: SearchRequest) {
        let query = request.query
        let searchable = SearchableMessage(message)
        guard message.details.deletedAt == nil else { return nil }
        guard searchable.traits.isSuperset(of: request.filters.traits) else { return nil }
        let texts = searchable.texts
        for term in query.terms {
            guard texts.contains(where: term.matches) != term.isExcluded else { return nil }
        }
        guard let content = texts.first else { return nil }
        let ranges = query.ranges(in: content)
        self.message = message
        highlights = ranges.map(content.source)
        score = ranges.reduce(0) { $0 + (content.beginsWord(at: $1.lowerBound) ? 2 : 1) }
    }
}
