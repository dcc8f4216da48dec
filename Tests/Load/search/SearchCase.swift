import TestSupport

/// A search of the measurement.
struct SearchCase {
    let name: String
    let query: String
    /// Whether `like` finds the same.
    var isPlain = true
    /// Whether the corpus has it for certain.
    var isFrequent = false

    static var all: [SearchCase] {
        let rare = Array(KoreanChat(seed: 1).rarestNouns.prefix(2))
        return [
            SearchCase(name: "1 syllable, frequent (회)", query: "회", isFrequent: true),
            SearchCase(name: "1 syllable, nowhere (뷁)", query: "뷁"),
            SearchCase(name: "2 syllables, very frequent (니다)", query: "니다", isFrequent: true),
            SearchCase(name: "2 syllables (회의)", query: "회의", isFrequent: true),
            SearchCase(name: "3 syllables (보고서)", query: "보고서", isFrequent: true),
            SearchCase(name: "6 syllables (확인부탁드립)", query: "확인부탁드립"),
            SearchCase(name: "initial consonants (ㅎㅇ)", query: "ㅎㅇ", isPlain: false),
            SearchCase(name: "initial consonants (ㅂㄱㅅ)", query: "ㅂㄱㅅ", isPlain: false),
            SearchCase(name: "initial consonants, rare (ㅃㅋㅉㅎ)", query: "ㅃㅋㅉㅎ", isPlain: false),
            SearchCase(name: "half-typed (보고ㅅ)", query: "보고ㅅ", isPlain: false),
            SearchCase(name: "two words (보고서 서버)", query: "보고서 서버", isPlain: false),
            SearchCase(name: "a rare word", query: rare[0]),
            SearchCase(name: "a rare phrase", query: "\"\(rare[0]) \(rare[1])\"", isPlain: false),
            SearchCase(name: "Latin (rollback)", query: "rollback", isFrequent: true),
        ]
    }
}
