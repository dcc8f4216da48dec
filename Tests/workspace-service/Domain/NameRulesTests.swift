import Contract
import Testing
import Wire

@testable import workspace_service

@Suite("Names")
struct NamesTests {
    @Test("A name has 1 to 30 characters, however many bytes each of them takes, and is not blank")
    func length() throws {
        let longest = String(repeating: "한", count: 30)
        #expect(try Names.workspace(longest) == longest)
        #expect(try Names.channel(longest) == longest)
        #expect(try Names.channel("a") == "a")
        for name in ["", " ", "\u{3000}\t", longest + "글", String(repeating: "a", count: 31)] {
            #expect(throws: Failure.self, "\(name)") { try Names.workspace(name) }
            #expect(throws: Failure.self, "\(name)") { try Names.channel(name) }
        }
        // One character may be made of thousands of bytes.
        #expect(throws: Failure.self) { try Names.channel("a" + String(repeating: "\u{301}", count: 1000)) }
    }

    @Test("A channel's name is a segment of a path: no slash, and none that a route has a word for")
    func segments() throws {
        for name in ["a/b", "/", "a/\u{301}b", "my", "MY", "My", ".", ".."] {
            #expect(throws: Failure.self, "\(name)") { try Names.channel(name) }
        }
        for name in ["my channel", "...", ".a", "mine", "일반", "a%2Fb", "members"] {
            #expect(try Names.channel(name) == name)
        }
        #expect(try Names.workspace("a/b") == "a/b")
    }

    @Test("A name is kept composed, as Hangul is typed on one system and not on another")
    func composition() throws {
        let decomposed = "\u{1112}\u{1161}\u{11AB}"
        #expect(Array(try Names.channel(decomposed).utf8) == Array("\u{D55C}".utf8))
    }

    @Test("A description has 1,000 characters at most; nothing and empty text are told apart")
    func description() throws {
        #expect(try Names.description(nil) == nil)
        #expect(try Names.description("") == "")
        let longest = String(repeating: "가", count: 1000)
        #expect(try Names.description(longest) == longest)
        #expect(throws: Failure.self) { try Names.description(longest + "나") }
    }
}
