import Contract
import Testing
import Wire

@testable import workspace_service

@Suite("Name rules")
struct NameRulesTests {
    @Test("A name has 1 to 30 characters of any size in bytes and is not blank")
    func length() throws {
        let longest = String(repeating: "한", count: 30)
        #expect(try NameRules.name(longest) == longest)
        #expect(try NameRules.channel(longest) == longest)
        #expect(try NameRules.channel("a") == "a")
        for name in ["", " ", "\u{3000}\t", longest + "글", String(repeating: "a", count: 31)] {
            #expect(throws: Failure.self, "\(name)") { try NameRules.name(name) }
            #expect(throws: Failure.self, "\(name)") { try NameRules.channel(name) }
        }
        // A single character can have thousands of bytes.
        #expect(throws: Failure.self) { try NameRules.channel("a" + String(repeating: "\u{301}", count: 1000)) }
    }

    @Test("A channel's name contains no slash and is not a reserved path segment")
    func segments() throws {
        for name in ["a/b", "/", "a/\u{301}b", "my", "MY", "My", ".", ".."] {
            #expect(throws: Failure.self, "\(name)") { try NameRules.channel(name) }
        }
        for name in ["my channel", "...", ".a", "mine", "일반", "a%2Fb", "members"] {
            #expect(try NameRules.channel(name) == name)
        }
        #expect(try NameRules.name("a/b") == "a/b")
    }

    @Test("A name has no character that is invisible or changes the direction of text, and one that is visible")
    func deceptive() throws {
        for name in [
            "\u{200B}", "\u{3164}", "\u{2800}", "a\u{200B}b", "a\u{202E}b", "a\u{2066}b", "a\u{200F}", "\u{FEFF}a",
            "a\u{00AD}b",
            "a\u{2028}b", "a\u{E0041}b", "a\u{7}b",
        ] {
            #expect(throws: Failure.self, "\(name.unicodeScalars.map { String($0.value, radix: 16) })") {
                try NameRules.name(name)
            }
            #expect(throws: Failure.self) { try NameRules.channel(name) }
        }
        for name in ["a b", "👩‍👩‍👧‍👦", "❤️", "کتاب\u{200C}ها"] { #expect(try NameRules.channel(name) == name) }
    }

    @Test("A name is stored in composed form, since some systems decompose Hangul")
    func composition() throws {
        let decomposed = "\u{1112}\u{1161}\u{11AB}"
        #expect(Array(try NameRules.channel(decomposed).utf8) == Array("\u{D55C}".utf8))
    }

    @Test("A description has at most 1,000 characters and 4,000 bytes; nil and empty text differ")
    func description() throws {
        #expect(try NameRules.description(nil) == nil)
        #expect(try NameRules.description("") == "")
        let longest = String(repeating: "가", count: 1000)
        #expect(try NameRules.description(longest) == longest)
        #expect(throws: Failure.self) { try NameRules.description(longest + "나") }
        let families = String(repeating: "👨‍👩‍👧‍👦", count: 160)
        #expect(families.utf8.count == 4000)
        #expect(try NameRules.description(families) == families)
        #expect(throws: Failure.self) { try NameRules.description(families + "a") }
    }
}
