import Testing

@testable import Search

@Suite("Grams")
struct SearchGramsTests {
    @Test("Each gram that a pattern requires is among the grams of every text that it matches")
    func neverHide() {
        var random = SeededGenerator(seed: 20_261_123)
        let grams = SearchGrams(workspace: 7)
        var matches = 0
        for _ in 0..<20_000 {
            let text = SearchText(randomText(length: 12, using: &random))
            let query = SearchQuery(randomText(length: Int.random(in: 1...3, using: &random), using: &random))
            let all = Set(grams.all(of: text))
            for pattern in query.terms.flatMap(\.alternatives) where pattern.matches(text) {
                matches += 1
                #expect(all.isSuperset(of: grams.required(by: pattern)), "\(pattern.scalars) in \(text.scalars)")
            }
        }
        #expect(matches > 1_000)
    }

    @Test("The index is as exact as pairs of scalars allow")
    func selective() {
        let grams = SearchGrams(workspace: 7)
        let all = Set(grams.all(of: SearchText("오늘 회의를 합니다")))
        for query in ["의회", "늘회", "ㅎㅎ", "내", "를오"] {
            let required = SearchQuery(query).terms.flatMap(\.alternatives).flatMap(grams.required)
            #expect(!required.isEmpty)
            #expect(!all.isSuperset(of: required), "\(query)")
        }
    }

    @Test("Two workspaces share no gram")
    func workspaces() {
        let text = SearchText("안녕하세요 hello")
        let mine = Set(SearchGrams(workspace: 1).all(of: text))
        #expect(mine.isDisjoint(with: SearchGrams(workspace: 2).all(of: text)))
    }

    @Test("Hashes are stored, so they never change")
    func stable() {
        #expect(SearchGrams(workspace: 1).all(of: SearchText("가")) == [SearchGramsTests.stored])
    }

    /// The hash of `가` in workspace 1.
    static let stored: Int32 = 2_085_602_132

    private func randomText(length: Int, using random: inout SeededGenerator) -> String {
        let alphabet = Array("가각갈닭다달라ㄱㄹㅅㄳabA1 -회의록함니")
        return String((0..<length).map { _ in alphabet.randomElement(using: &random) ?? "가" })
    }
}

/// Random numbers that are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
