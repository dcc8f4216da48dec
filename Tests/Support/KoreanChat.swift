/// Makes messages like those of a Korean team chat: nouns with particles, verbs with endings, names, English words, addresses,
/// code, emoji. A few words are very frequent and most are rare, as in real chats.
///
/// The same seed makes the same messages.
public struct KoreanChat {
    private var random: SeededRandom
    /// Made-up nouns of two or three syllables, so that a corpus has as many rare words as a real one.
    private let rareNouns: [String]

    private static let nouns = [
        "회의", "일정", "배포", "서버", "코드", "리뷰", "디자인", "문서", "점심", "휴가", "보고서", "예산", "고객", "오류", "테스트", "화면", "버튼", "로그인",
        "결제",
        "알림", "채널", "파일", "사진", "계약", "출장", "면접", "발표", "자료", "데이터", "검색", "기획", "마케팅", "이벤트", "공지", "업데이트", "버전", "이슈",
        "요청",
        "승인", "견적",
    ]
    private static let particles = [
        "", "", "을", "를", "이", "가", "은", "는", "에", "에서", "으로", "의", "도", "만", "까지", "부터", "하고", "랑",
    ]
    private static let stems = [
        "확인", "공유", "진행", "수정", "완료", "검토", "시작", "준비", "전달", "추가", "삭제", "정리", "논의", "결정", "요청",
    ]
    private static let endings = [
        "합니다", "했습니다", "할게요", "해주세요", "하겠습니다", "했어요", "하나요?", "부탁드립니다", "되었습니다", "될까요?", "하는 중입니다", "해야 합니다",
    ]
    private static let surnames = ["김", "이", "박", "최", "정", "강", "조", "윤", "장", "임"]
    private static let givenNames = ["민지", "서준", "하은", "도윤", "지우", "예준", "수아", "시우", "지호", "유진", "현우", "은서"]
    private static let english = [
        "API", "deploy", "hotfix", "PR", "rollback", "staging", "OK", "build", "token", "cache", "Swift", "Redis",
        "LGTM",
    ]
    private static let openings = [
        "안녕하세요", "네", "넵", "혹시", "오늘", "내일", "이번 주", "다음 주", "방금", "그럼", "일단", "ㅋㅋㅋ", "감사합니다", "ㅇㅋ",
    ]
    private static let closings = ["", "", "", "!", "~", " ㅎㅎ", " 😊", " 👍", "..", " ㅠㅠ"]

    public init(seed: UInt64, rareNouns count: Int = 20_000) {
        var random = SeededRandom(seed: seed)
        rareNouns = (0..<count).map { _ in
            String((0..<Int.random(in: 2...3, using: &random)).map { _ in Self.syllable(using: &random) })
        }
        self.random = random
    }

    /// The nouns that hardly any message has, for queries that find little.
    public var rarestNouns: ArraySlice<String> { rareNouns.suffix(rareNouns.count / 10) }

    /// The next message.
    public mutating func message() -> String {
        var parts: [String] = []
        if chance(3) { parts.append(pick(Self.openings)) }
        if chance(5) { parts.append(pick(Self.surnames) + pick(Self.givenNames) + (chance(2) ? "님" : "")) }
        for _ in 0..<Int.random(in: 1...4, using: &random) { parts.append(noun() + pick(Self.particles)) }
        if chance(6) { parts.append(pick(Self.english)) }
        parts.append(pick(Self.stems) + pick(Self.endings))
        if chance(25) {
            parts.append("https://wiki.example.com/pages/\(Int.random(in: 1...99_999, using: &random))")
        }
        if chance(40) { parts.append("let value\(Int.random(in: 1...999, using: &random)) = try load()") }
        return parts.joined(separator: " ") + pick(Self.closings)
    }

    /// A number from 0 to `count`, small ones far more often.
    public mutating func skewed(_ count: Int) -> Int {
        let even = Double.random(in: 0..<1, using: &random)
        return min(count - 1, Int(Double(count) * even * even * even))
    }

    private mutating func noun() -> String {
        chance(2) ? Self.nouns[skewed(Self.nouns.count)] : rareNouns[skewed(rareNouns.count)]
    }

    private mutating func pick(_ words: [String]) -> String {
        words[Int.random(in: 0..<words.count, using: &random)]
    }

    /// True once in `count` times.
    private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    /// A syllable; most have no final consonant or a frequent one, as in the language.
    private static func syllable(using random: inout SeededRandom) -> Character {
        let finals: [UInt32] = [0, 0, 0, 0, 4, 8, 16, 21, 1, 17]
        let initial = UInt32.random(in: 0..<19, using: &random)
        let vowel = UInt32.random(in: 0..<21, using: &random)
        let final = finals[Int.random(in: 0..<finals.count, using: &random)]
        return Unicode.Scalar(0xAC00 + (initial * 21 + vowel) * 28 + final).map(Character.init) ?? "가"
    }
}
