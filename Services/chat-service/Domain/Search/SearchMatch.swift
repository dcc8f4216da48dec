import Search
import Wire

/// A message that matches a query by its text.
struct SearchMatch: Sendable {
    let message: StoredMessage
    /// The places of the terms in the content, in UTF-16 units, from left to right.
    let highlights: [Range<Int>]
    /// How well the texts fit the query, without regard to the author, the room and the time.
    let fit: SearchFit

    /// Returns nil unless the content or the name of a file has every required term, and none has an excluded one. The index
    /// may be older than the message and its hashes may lie, so the author and the traits are checked as well.
    init?(_ message: StoredMessage, to request: SearchRequest) {
        let query = request.query
        let searchable = SearchableMessage(message)
        guard message.details.deletedAt == nil else { return nil }
        guard request.filters.allow(message.author, searchable.traits) else { return nil }
        let texts = searchable.texts
        for term in query.terms {
            guard texts.contains(where: term.matches) != term.isExcluded else { return nil }
        }
        guard let content = texts.first else { return nil }
        self.message = message
        highlights = query.ranges(in: content).map(content.source)
        fit = request.order == .best ? SearchFit(of: texts, to: query) : SearchFit()
    }
}
