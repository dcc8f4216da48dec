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

    @Test("Words, phrases, exclusions and filters are told apart, Korean names included")
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
