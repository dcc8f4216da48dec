/// The places of each scalar in a pattern, a bit for each (Shift-And): it reads any text once.
struct SearchPatternBits {
    private let length: Int
    private let wordCount: Int
    private var places: [UInt32: [UInt64]] = [:]

    init(_ scalars: [UInt32]) {
        length = scalars.count
        wordCount = (scalars.count + 63) / 64
        for (index, scalar) in scalars.enumerated() {
            let bit: UInt64 = 1 << UInt64(index % 64)
            places[scalar, default: [UInt64](repeating: 0, count: wordCount)][index / 64] |= bit
        }
    }

    /// The first place of the pattern in a text.
    func firstRange(in text: [UInt32], from start: Int) -> Range<Int>? {
        guard start < text.count else { return nil }
        // Bit n is set while the scalars before here are the first n + 1 of the pattern.
        var state = [UInt64](repeating: 0, count: wordCount)
        for index in start..<text.count {
            let own = places[text[index]]
            let initial = Hangul.initial(of: text[index]).flatMap { places[$0] }
            var carry: UInt64 = 1
            for word in 0..<wordCount {
                let shifted = state[word] << 1 | carry
                carry = state[word] >> 63
                state[word] = shifted & ((own?[word] ?? 0) | (initial?[word] ?? 0))
            }
            if state[(length - 1) / 64] >> UInt64((length - 1) % 64) & 1 == 1 {
                return (index + 1 - length)..<(index + 1)
            }
        }
        return nil
    }
}
