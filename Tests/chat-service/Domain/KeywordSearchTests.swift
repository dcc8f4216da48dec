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
}
