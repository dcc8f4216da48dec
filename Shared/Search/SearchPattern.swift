/// A run of scalars to find in a `SearchText`; a lone consonant also stands for every syllable that begins with it.
public struct SearchPattern: Hashable, Sendable {
    /// Normalised scalars. A compatibility consonant matches itself and the syllables that begin with it.
    let scalars: [UInt32]

    /// Creates a pattern; `scalars` must not be empty.
    init(_ scalars: [UInt32]) {
        self.scalars = scalars
    }

    /// Returns the patterns that `text` stands for; a text matches if it contains one of them.
    ///
    /// The first is the text as it is. The others finish its last syllable: `가나다ㄹ` may be `가나다라` that is still being typed,
    /// which the first pattern matches, or `가나달` and `가나닭`.
    ///
    /// - Parameter isBeingTyped: whether the final consonant of the last syllable may become the initial one of a next syllable:
    ///   `가나달` also stands for `가나다라`, and `닭` for `달구지`.
    public static func alternatives(of text: SearchText, isBeingTyped: Bool = false) -> [SearchPattern] {
        let scalars = text.scalars
        guard let last = scalars.last else { return [] }
        if isBeingTyped, let (syllable, next) = Hangul.withoutFinal(last) {
            return [SearchPattern(scalars), SearchPattern(scalars.dropLast() + [syllable, next])]
        }
        guard scalars.count > 1, Hangul.compatibilityConsonants.contains(last) else { return [SearchPattern(scalars)] }
        let closed = Hangul.closing(scalars[scalars.count - 2], with: last)
        return [SearchPattern(scalars)] + closed.map { SearchPattern(scalars.dropLast(2) + [$0]) }
    }

    /// Returns the places where the pattern stands in a text; they do not overlap.
    public func ranges(in text: SearchText) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        while let range = firstRange(in: text.scalars, from: start) {
            found.append(range)
            start = range.upperBound
        }
        return found
    }

    public func matches(_ text: SearchText) -> Bool {
        firstRange(in: text.scalars, from: 0) != nil
    }

    /// The number of ranks of a name.
    public static let ranks = 4

    /// Returns how well the pattern fits a name, 0 for all of it, 1 for its beginning, 2 for the beginning of a word and 3 for
    /// any other place; nil if it does not fit.
    public func rank(in name: SearchText) -> Int? {
        let ranges = ranges(in: name)
        guard let first = ranges.first else { return nil }
        if first.lowerBound == 0 { return first.count == name.scalars.count ? 0 : 1 }
        return ranges.contains { name.beginsWord(at: $0.lowerBound) } ? 2 : 3
    }

    private func firstRange(in text: [UInt32], from start: Int) -> Range<Int>? {
        guard text.count - start >= scalars.count else { return nil }
        var steps = 0
        for first in start...(text.count - scalars.count) {
            let length = commonLength(with: text, at: first)
            if length == scalars.count { return first..<(first + length) }
            // A pattern that repeats itself, in a text that does so too, would be compared whole at each place.
            steps += length
            if steps > 8 * (first - start) + 256 {
                return SearchPatternBits(scalars).firstRange(in: text, from: first + 1)
            }
        }
        return nil
    }

    /// The number of scalars of the pattern that stand at a place of a text, up to the first that does not.
    private func commonLength(with text: [UInt32], at start: Int) -> Int {
        for index in scalars.indices {
            let wanted = scalars[index]
            let there = text[start + index]
            guard wanted == there || Hangul.initial(of: there) == wanted else { return index }
        }
        return scalars.count
    }
}
