import Search
import TestSupport

/// Compares a text with words one place after the other, without the code of search but for the normalisation.
enum PlainScan {
    /// Says whether a text contains a word: letter by letter, with lone consonants for the syllables that begin with them, and a
    /// consonant at the end for the last syllable that it may close.
    ///
    /// - Parameter isBeingTyped: whether the last consonant of the word may begin a next syllable.
    static func contains(_ word: String, in text: String, isBeingTyped: Bool = false) -> Bool {
        let (wanted, scalars) = (SearchText(word).scalars, SearchText(text).scalars)
        guard !wanted.isEmpty, scalars.count >= 1 else { return false }
        let places = scalars.indices
        func has(_ wanted: [UInt32]) -> Bool {
            places.contains { place in
                place + wanted.count <= scalars.count
                    && wanted.indices.allSatisfy { isLike(scalars[place + $0], wanted[$0]) }
            }
        }
        if has(wanted) { return true }
        if isBeingTyped, let last = wanted.last, isSyllable(last), let moved = endings[Int(last - 0xAC00) % 28].last {
            let kept = endings[Int(last - 0xAC00) % 28].dropLast()
            let open = last - (last - 0xAC00) % 28
            let syllable = open + UInt32(endings.firstIndex { $0 == Array(kept) } ?? 0)
            return has(wanted.dropLast() + [syllable, moved])
        }
        guard wanted.count > 1, let last = wanted.last, isConsonant(last) else { return false }
        let rest = wanted.dropLast()
        return places.contains { place in
            place + rest.count <= scalars.count
                && rest.indices.dropLast().allSatisfy { isLike(scalars[place + $0], rest[$0]) }
                && isClosed(scalars[place + rest.count - 1], from: rest[rest.count - 1], with: last)
        }
    }

    /// Says whether a message with these texts has all words that are required and none that is excluded.
    ///
    /// - Parameter typed: the number of the word that is still being typed.
    static func matches(
        _ words: [(text: String, isExcluded: Bool)], _ texts: [String], beingTyped typed: Int? = nil
    ) -> Bool {
        words.indices.allSatisfy { index in
            texts.contains { contains(words[index].text, in: $0, isBeingTyped: index == typed) }
                != words[index].isExcluded
        }
    }

    private static let initials = Array("ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ".unicodeScalars.map(\.value))
    /// The letters that are typed for the end of a syllable.
    private static let endings = [
        "", "ㄱ", "ㄲ", "ㄱㅅ", "ㄴ", "ㄴㅈ", "ㄴㅎ", "ㄷ", "ㄹ", "ㄹㄱ", "ㄹㅁ", "ㄹㅂ", "ㄹㅅ", "ㄹㅌ", "ㄹㅍ", "ㄹㅎ", "ㅁ", "ㅂ", "ㅂㅅ", "ㅅ",
        "ㅆ", "ㅇ", "ㅈ", "ㅊ", "ㅋ", "ㅌ", "ㅍ", "ㅎ",
    ].map { Array($0.unicodeScalars.map(\.value)) }

    private static func isConsonant(_ scalar: UInt32) -> Bool { (0x3131...0x314E).contains(scalar) }

    private static func isSyllable(_ scalar: UInt32) -> Bool { (0xAC00...0xD7A3).contains(scalar) }

    private static func isLike(_ scalar: UInt32, _ wanted: UInt32) -> Bool {
        scalar == wanted || isSyllable(scalar) && initials[Int((scalar - 0xAC00) / 588)] == wanted
    }

    /// Says whether a syllable is an open one with an ending that begins with a consonant.
    private static func isClosed(_ scalar: UInt32, from open: UInt32, with consonant: UInt32) -> Bool {
        guard isSyllable(open), (open - 0xAC00) % 28 == 0, isSyllable(scalar), (open..<open + 28).contains(scalar)
        else { return false }
        return endings[Int(scalar - open)].first == consonant
    }
}
