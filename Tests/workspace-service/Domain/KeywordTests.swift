import Testing

@testable import workspace_service

@Suite("Keywords")
struct KeywordTests {
    @Test("A keyword matches a part of a text, regardless of case and Unicode composition")
    func parts() throws {
        for (keyword, text) in [
            ("gen", "General"), ("ERAL", "general"), ("caf\u{E9}", "Cafe\u{301}"), ("cafe\u{301}", "CAF\u{C9}"),
            ("회의", "주간 회의"),
            ("strasse", "Straße 5"), ("%", "100%"), ("👩", "👩"), (" ", "a b"), ("general", "general"),
        ] {
            #expect(try #require(Keyword(keyword)).matches(text), "\(keyword) in \(text)")
        }
    }

    @Test("A keyword matches whole characters only, and an empty keyword does not exist")
    func others() throws {
        for (keyword, text) in [("e", "\u{E9}"), ("회", "희"), ("generals", "general"), ("a", ""), ("_", "general")] {
            #expect(try !#require(Keyword(keyword)).matches(text), "\(keyword) in \(text)")
        }
        #expect(Keyword("") == nil)
    }
}
