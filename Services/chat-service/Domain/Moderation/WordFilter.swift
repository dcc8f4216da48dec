import Contract
import Search
import Wire

/// The words that a workspace does not allow in messages.
///
/// Words are compared as search compares texts: without regard to case, width and composition. A word is found inside of
/// others, since Korean particles stick to words, but a Latin letter or digit at its end must not be continued: `ass` is not
/// found in `class`. Scalars that cannot be seen, such as joiners, hide no word.
struct WordFilter: Sendable {
    struct Word: Sendable, Equatable {
        let text: String
        /// Whether it is replaced by asterisks; otherwise a message with it is refused.
        let isMasked: Bool
    }

    let words: [Word]
    private let patterns: [(scalars: [UInt32], borders: [Int], isMasked: Bool)]

    static let empty = WordFilter([])
    static let most = 500
    private static let length = 1...50

    init(_ words: [Word]) {
        self.words = words
        patterns = words.map { word in
            let scalars = Letters(SearchText(word.text)).scalars
            return (scalars, scalars.borders, word.isMasked)
        }.filter { !$0.scalars.isEmpty }
    }

    /// Words as an owner writes them, each once.
    static func checked(_ words: [Word]) throws(Failure) -> [Word] {
        guard words.count <= most else { throw .invalid("There are too many words.") }
        var known: Set<[UInt32]> = []
        var kept: [Word] = []
        for word in words {
            let scalars = Letters(SearchText(word.text)).scalars
            guard word.text.hasLength(in: length), !scalars.isEmpty, !word.text.utf8.contains(0) else {
                throw .invalid("A word must have 1 to 50 characters.")
            }
            if known.insert(scalars).inserted { kept.append(word) }
        }
        return kept
    }

    /// Returns a text with asterisks in the place of masked words; throws if it has a refused one.
    func apply(to content: String) throws(Failure) -> String {
        if patterns.isEmpty || content.isEmpty { return content }
        let text = SearchText(content)
        let letters = Letters(text)
        var masked: [Range<Int>] = []
        for pattern in patterns {
            let places = Self.places(of: pattern.scalars, pattern.borders, in: letters.scalars)
            if places.isEmpty { continue }
            guard pattern.isMasked else { throw Self.refusal }
            masked += places.map { text.source(of: letters.range($0)) }
        }
        return masked.isEmpty ? content : Self.mask(masked, in: content)
    }

    /// The scalars of a text that can be seen.
    private struct Letters {
        let scalars: [UInt32]
        /// The places of the scalars in the text; nil if all can be seen.
        private let places: [Int]?

        init(_ text: SearchText) {
            guard text.scalars.contains(where: Self.isInvisible) else {
                (scalars, places) = (text.scalars, nil)
                return
            }
            let seen = text.scalars.indices.filter { !Self.isInvisible(text.scalars[$0]) }
            (scalars, places) = (seen.map { text.scalars[$0] }, seen)
        }

        /// The range of the text that some letters stand in.
        func range(_ range: Range<Int>) -> Range<Int> {
            guard let places else { return range }
            return places[range.lowerBound]..<(places[range.upperBound - 1] + 1)
        }

        private static func isInvisible(_ scalar: UInt32) -> Bool {
            scalar >= 0x300 && Unicode.Scalar(scalar)?.properties.isDefaultIgnorableCodePoint == true
        }
    }

    private static let refusal = Failure.invalid("The message has a word that the workspace does not allow.")

    private static func places(of word: [UInt32], _ borders: [Int], in text: [UInt32]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var length = 0
        for index in text.indices {
            while length > 0, text[index] != word[length] { length = borders[length - 1] }
            if text[index] == word[length] { length += 1 }
            guard length == word.count else { continue }
            let range = (index + 1 - length)..<(index + 1)
            if isWhole(range, in: text) {
                found.append(range)
                length = 0
            } else {
                length = borders[length - 1]
            }
        }
        return found
    }

    private static func isWhole(_ range: Range<Int>, in text: [UInt32]) -> Bool {
        let continuesBefore =
            range.lowerBound > 0 && isLatin(text[range.lowerBound]) && isLatin(text[range.lowerBound - 1])
        let continuesAfter =
            range.upperBound < text.count && isLatin(text[range.upperBound - 1]) && isLatin(text[range.upperBound])
        return !continuesBefore && !continuesAfter
    }

    /// Whether a folded scalar is a Latin letter or a digit.
    private static func isLatin(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x30...0x39, 0x61...0x7A, 0xE0...0x24F: true
        default: false
        }
    }

    /// An asterisk in the place of each character that has a masked UTF-16 unit, except white space.
    private static func mask(_ ranges: [Range<Int>], in content: String) -> String {
        var units = [Bool](repeating: false, count: content.utf16.count)
        for range in ranges { for index in range { units[index] = true } }
        var (masked, offset) = ("", 0)
        for character in content {
            let end = offset + character.utf16.count
            let isMasked = units[offset..<end].contains(true) && !character.isWhitespace
            masked.append(isMasked ? "*" : character)
            offset = end
        }
        return masked
    }
}
