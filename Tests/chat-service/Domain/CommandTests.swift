import Contract
import Testing

@testable import chat_service

@Suite("Commands and their answers")
struct CommandTests {
    @Test(
        "A name has lowercase letters, digits, Korean syllables and hyphens", arguments: ["a", "배포", "배포-2", "a-b-3"])
    func names(text: String) throws { #expect(try CommandName(text).text == text) }

    @Test(
        "A name with any other character is refused",
        arguments: [
            "", "A", "a b", "-a", "a-", "é", "ㄱ", "a/b", "a_b", "a\u{0}", "漢", String(repeating: "가", count: 33),
        ])
    func wrongNames(text: String) { #expect(throws: Failure.self) { try CommandName(text) } }

    @Test("A name in decomposed syllables is the composed one")
    func composition() throws {
        #expect(try CommandName("\u{1107}\u{1162}\u{1111}\u{1169}") == CommandName("배포"))
    }

    @Test("An answer is for the caller unless it says that it is for all")
    func answers() throws {
        func read(_ text: String) throws -> CommandAnswer? { try CommandAnswer(reply: Array(text.utf8)) }
        #expect(try read("") == nil)
        #expect(try read(#"{"text":"a"}"#) == CommandAnswer(text: "a", visible: "me"))
        #expect(try read(#"{"text":"a","visible":"all","more":1}"#)?.audience == .all)
    }

    @Test(
        "An answer of another form is refused",
        arguments: [
            "a", "[]", "1", "null", "{}", #"{"text":""}"#, #"{"text":1}"#, #"{"text":"a","visible":"some"}"#,
            #"{"text":"a","visible":1}"#, #"{"text":"a\u0000"}"#,
            #"{"text":"\#(String(repeating: "가", count: 10_001))"}"#,
        ])
    func wrongAnswers(text: String) { #expect(throws: Failure.self) { try CommandAnswer(reply: Array(text.utf8)) } }
}
