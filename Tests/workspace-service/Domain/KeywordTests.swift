import Testing

@testable import workspace_service

@Suite("Keywords")
struct KeywordTests {
    @Test("A keyword is found as a part of a text, whatever the case and composition of both")
    func parts() throws {
        for (keyword, text) in [
            ("gen", "General"), ("ERAL", "general"), ("caf\u{E9}", "Cafe\u{301}"), ("cafe\u{301}", "CAF\u{C9}"),
            ("회의", "주간 회의"),
            ("strasse", "Straße 5"), ("%", "100%"), ("👩", "👩"), (" ", "a b"), ("general", "general"),
        ] {
            #expect(try #require(Keyword(keyword)).isIn(text), "\(keyword) in \(text)")
        }
    }

    @Test("What is no part is not found: no letter within another, nothing in nothing")
    func others() throws {
        for (keyword, text) in [("e", "\u{E9}"), ("회", "희"), ("generals", "general"), ("a", ""), ("_", "general")] {
            #expect(try !#require(Keyword(keyword)).isIn(text), "\(keyword) in \(text)")
        }
        #expect(Keyword("") == nil)
    }
}
