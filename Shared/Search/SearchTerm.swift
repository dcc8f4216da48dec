/// A word or a quoted phrase of a query.
public struct SearchTerm: Hashable, Sendable {
    /// A text has the term if it contains one of these.
    public let alternatives: [SearchPattern]
    /// A message with this term is left out of the result.
    public let isExcluded: Bool

    /// Returns nil if nothing is left of `text` once it is normalised.
    init?(_ text: some StringProtocol, isExcluded: Bool = false, isBeingTyped: Bool = false) {
        alternatives = SearchPattern.alternatives(of: SearchText(String(text)), isBeingTyped: isBeingTyped)
        self.isExcluded = isExcluded
        if alternatives.isEmpty { return nil }
    }

    public func matches(_ text: SearchText) -> Bool {
        alternatives.contains { $0.matches(text) }
    }

    /// Returns where the term stands in a text, by the first alternative that is found there.
    public func ranges(in text: SearchText) -> [Range<Int>] {
        for alternative in alternatives {
            let ranges = alternative.ranges(in: text)
            if !ranges.isEmpty { return ranges }
        }
        return []
    }
}
