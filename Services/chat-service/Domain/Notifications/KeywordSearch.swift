import Wire

/// Looks for keywords in one text, without regard to case and normalization.
///
/// A Latin word matches a whole word only: `cat` is not in `category`. Hangul matches anywhere, because particles and
/// other words stick to it: `배포` is in `재배포가`.
struct KeywordSearch: Sendable {
    private let text: [Character]
    private let characters: Set<Character>

    init(_ content: String) {
        text = Array(content.caselessKey)
        characters = Set(text)
    }

    /// It looks at each character of the text once.
    func contains(_ keyword: String) -> Bool {
        let wanted = Array(keyword.caselessKey)
        guard let first = wanted.first, characters.contains(first) else { return false }
        let borders = wanted.borders
        var matched = 0
        for (index, character) in text.enumerated() {
            while matched > 0, matched == wanted.count || character != wanted[matched] {
                matched = borders[matched - 1]
            }
            if character == wanted[matched] { matched += 1 }
            if matched == wanted.count, isBoundary(at: index + 1 - matched), isBoundary(at: index + 1) { return true }
        }
        return false
    }

    /// Whether no Latin or other word goes on across this position.
    private func isBoundary(at position: Int) -> Bool {
        guard position > 0, position < text.count else { return true }
        return !(text[position - 1].isPartOfWord && text[position].isPartOfWord)
    }
}

extension Character {
    fileprivate var isHangul: Bool {
        guard let value = unicodeScalars.first?.value else { return false }
        return (0xAC00...0xD7A3).contains(value) || (0x1100...0x11FF).contains(value)
            || (0x3130...0x318F).contains(value)
    }

    fileprivate var isPartOfWord: Bool { (isLetter || isNumber) && !isHangul }
}
