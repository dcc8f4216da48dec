import Search

/// How well texts fit a query that they match: the part of a rank that the text decides.
struct SearchFit: Hashable, Sendable {
    /// The query has several words, and a text has them in this order with nothing between them.
    var hasPhrase = false
    /// Each word of the query begins a word of a text.
    var beginsWords = false
    /// Each word of the query is a word of a text, without a particle or an ending.
    var hasWholeWords = false

    init() {}

    /// Compares the texts of a match, such as its content and the names of its files, with the query.
    init(of texts: [SearchText], to query: SearchQuery) {
        hasPhrase = query.phrase.map { phrase in texts.contains(where: phrase.matches) } ?? false
        let terms = query.requiredTerms
        if terms.isEmpty { return }
        beginsWords = terms.allSatisfy { term in
            texts.contains { text in term.ranges(in: text).contains { text.beginsWord(at: $0.lowerBound) } }
        }
        hasWholeWords = terms.allSatisfy { term in
            texts.contains { text in
                term.ranges(in: text).contains {
                    text.beginsWord(at: $0.lowerBound) && text.endsWord(before: $0.upperBound)
                }
            }
        }
    }

    var points: Int { (hasPhrase ? 8 : 0) + (beginsWords ? 4 : 0) + (hasWholeWords ? 2 : 0) }
}
