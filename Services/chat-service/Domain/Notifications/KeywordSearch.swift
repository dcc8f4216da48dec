import Wire

/// Looks for keywords in one text, without regard to case and normalization.
///
/// A Latin word matches a whole word only: `cat` is not in `category`. Hangul matches anywhere, because particles and
/// other words stick to it: `배포` is in `재배포가`.
struct KeywordSearch: Sendable {
    private let text: [Character]
    /// Where each character is in the text.
    private let places: [Character: [Int]]

    init(_ content: String) {
        text = Array(content.caselessKey)
        places = Dictionary(grouping: text.indices, by: { [text] in text[$0] })
    }

    func contains(_ keyword: String) -> Bool {
        let wanted = Array(keyword.caselessKey)
        guard let first = wanted.first, let places = places[first] else { return false }
        return places.contains { place in
            let end = place + wanted.count
            guard end <= text.count, text[place..<end].elementsEqual(wanted) else { return false }
            return isBoundary(at: place) && isBoundary(at: end)
        }
    }

    /// Whether no Latin or other word goes on across this place.
    private func isBoundary(at place: Int) -> Bool {
        guard place > 0, place < text.count else { return true }
        return !(text[place - 1].isPartOfWord && text[place].isPartOfWord)
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
