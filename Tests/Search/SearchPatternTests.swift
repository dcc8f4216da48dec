import Testing

@testable import Search

@Suite("Matches of a query")
struct SearchPatternTests {
    static let found: [(String, String)] = [
        ("회", "회의를"), ("의를", "오늘 회의를 합니다"), ("ㅎㅇ", "회의에서"), ("검ㅅ", "검색"), ("검ㅅ", "검사"), ("가나다ㄹ", "가나다라"),
        ("가나다ㄹ", "가나달"), ("가나다ㄹ", "가나닭"), ("ㄳ", "감사합니다"), ("ㄱㅅ", "ㄳ"), ("ㅋㅋ", "ㅋㅋㅋ"), ("ㄱㅁㅈ", "김민지"),
        ("API", "rest api v2"), ("a", "Maru"), ("\"내일 봐요\"", "그럼 내일  봐요~"), ("내일 회의", "회의는 내일"),
        ("https://maru.chat", "보기: https://maru.chat/x"),
        ("가나달", "가나다라"), ("가나달", "가나달"), ("가나달", "가나달라"), ("닭", "달구지"), ("닭", "닭"), ("있", "이쓰"), ("넋", "넉살"),
        ("강", "가위"), ("내일 달", "내일 다리"), ("API 값", "갑시다 API"), ("달", "다ㄹ"), ("내일 -취소", "내일 회의"), ("내일 -달", "내일 다리"),
        ("1234", "no.12345"), ("👍🏽", "좋아요👍🏽"), ("-", "a - b"),
    ]
    static let missed: [(String, String)] = [
        ("가", "각"), ("검ㅅ", "검토"), ("가나다ㄹ", "가나다"), ("ㄱㅅ", "까사"), ("\"내일 봐요\"", "내일은 봐요"), ("내일 -회의", "내일 회의"),
        ("가나달", "가나다"), ("가나달", "가나다 라"), ("가나달", "가나닭"), ("닭", "다구지"), ("닭", "달리기"), ("\"가나달\"", "가나다라"),
        ("가나달 ", "가나다라"), ("달 내일", "내일 다리"), ("값", "가시"), ("다", "달"),
        ("\"회의 내일\"", "내일 회의"), ("감사", "감 사"), ("회의", "회"),
    ]

    @Test("A query finds a text that contains it", arguments: found)
    func finds(_ query: String, _ text: String) {
        #expect(SearchQuery(query).matches(SearchText(text)))
    }

    @Test("A query misses a text that does not contain it", arguments: missed)
    func misses(_ query: String, _ text: String) {
        #expect(!SearchQuery(query).matches(SearchText(text)))
    }

    @Test("Words, phrases, exclusions and filters are distinguished, Korean names included")
    func parsing() {
        let query = SearchQuery("회의 \"다음 주\" -취소 from:민지 채널:\"일일 보고\" has:link http://a.b before:")
        #expect(query.terms.count == 5)
        #expect(query.terms.filter(\.isExcluded).count == 1)
        #expect(
            query.filters == [
                .init(filter: .from, value: "민지"), .init(filter: .room, value: "일일 보고"),
                .init(filter: .has, value: "link"),
            ])
    }

    @Test("Patterns that repeat themselves stand where a comparison at each place finds them")
    func repeated() {
        let letters: [UInt32] = ["다", "달", "ㄷ", "a"].compactMap { $0.unicodeScalars.first?.value }
        for seed in UInt64(1)...300 {
            var random = SeededGenerator(seed: seed)
            func text(_ length: Int) -> [UInt32] {
                (0..<length).map { _ in
                    Int.random(in: 0..<8, using: &random) > 0 ? letters[0] : letters.randomElement(using: &random)!
                }
            }
            let pattern = text(Int.random(in: 1...130, using: &random))
            var content = text(Int.random(in: 0...900, using: &random))
            if seed % 2 == 0 {
                content.insert(contentsOf: pattern, at: Int.random(in: 0...content.count, using: &random))
            }
            func fits(_ start: Int) -> Bool {
                pattern.indices.allSatisfy {
                    pattern[$0] == content[start + $0] || Hangul.initial(of: content[start + $0]) == pattern[$0]
                }
            }
            var (expected, start) = ([Range<Int>](), 0)
            while start + pattern.count <= content.count {
                if fits(start) { expected.append(start..<start + pattern.count) }
                start += fits(start) ? pattern.count : 1
            }
            let made = SearchText(String(String.UnicodeScalarView(content.compactMap { Unicode.Scalar($0) })))
            #expect(made.scalars == content)
            #expect(SearchPattern(pattern).ranges(in: made) == expected)
        }
    }

    @Test("Overlapping matches are joined")
    func joining() {
        let text = SearchText("회의록 회의")
        #expect(SearchQuery("회의 의록").ranges(in: text) == [0..<3, 4..<6])
    }

    @Test(
        "Queries of nothing but quotes, signs and spaces have no term",
        arguments: ["", " ", "\"\"", "\" \"", "\u{200B}"])
    func nothing(_ query: String) {
        #expect(SearchQuery(query).terms.isEmpty)
    }
}
