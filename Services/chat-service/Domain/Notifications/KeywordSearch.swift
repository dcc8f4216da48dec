import Wire

/// Looks for keywords in one text, without regard to case and normalization.
///
/// A Latin word matches a whole word only: `cat` is not in `category`. Hangul matches anywhere, because particles and
/// other words stick to it: `배포` is in `재배포가`.
struct KeywordSearch: Sendable {
    private let text: [Character]
    /// The positions of each character in the text.
    private let positions: [Character: [Int]]

    init(_ content: String) {
        text = Array(content.caselessKey)
        positions = Dictionary(grouping: text.indices, by: { [text] in text[$0] })
    }

    func contains(_ keyword: String) -> Bool {
        let wanted = Array(keyword.caselessKey)
        guard let first = wanted.first, let starts = positions[first] else { return false }
        return starts.contains { start in
            let end = start + wanted.count
            guard end <= text.count, text[start..<end].elementsEqual(wanted) else { return false }
            return isBoundary(at: start) && isBoundary(at: end)
        }
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
