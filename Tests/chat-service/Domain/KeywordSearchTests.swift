import TestSupport
import Testing

@testable import chat_service

@Suite("Keywords")
struct KeywordSearchTests {
    @Test(
        "A keyword is found without regard to case and normalization",
        arguments: [
            ("배포", "오늘 재배포가 있어요"), ("서버", "서버가 죽었어요"), ("cat", "A Cat."), ("Straße", "STRASSE 5"), ("v2", "배포 v2는"),
            ("café", "cafe\u{301}!"), ("release plan", "the Release Plan: …"), ("C++", "C++ 20"), ("점심", "점심\u{1F35A}"),
            ("한글", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}로"),
        ])
    func found(_ keyword: String, _ text: String) { #expect(KeywordSearch(text).contains(keyword)) }

    @Test(
        "A Latin keyword is not found within a longer word, and an empty one nowhere",
        arguments: [
            ("cat", "category"), ("cat", "concat"), ("v2", "v20"), ("배포", "배 포"), ("a", ""), ("", "a"),
            ("new plan", "new plans"),
        ])
    func missing(_ keyword: String, _ text: String) { #expect(!KeywordSearch(text).contains(keyword)) }

    @Test("In random texts that repeat themselves a keyword is found as at each position by itself")
    func random() {
        var generator = SeededRandom(seed: 11)
        func word(_ lengths: ClosedRange<Int>) -> String {
            String(
                (0..<Int.random(in: lengths, using: &generator)).map { _ in "가가나a ".randomElement(using: &generator)! }
            )
        }
        var found = 0
        for _ in 0..<4000 {
            let (text, keyword) = (word(0...24), word(1...6))
            let (letters, wanted) = (Array(text), Array(keyword))
            func isOfWord(_ index: Int) -> Bool { letters.indices.contains(index) && letters[index] == "a" }
            func isBoundary(_ index: Int) -> Bool { !(isOfWord(index - 1) && isOfWord(index)) }
            let expected = letters.indices.contains { start in
                letters[start...].starts(with: wanted) && isBoundary(start) && isBoundary(start + wanted.count)
            }
            #expect(KeywordSearch(text).contains(keyword) == expected, "\(keyword) in \(text)")
            found += expected ? 1 : 0
        }
        #expect((400...3600).contains(found))
    }
}
