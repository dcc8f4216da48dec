import Contract
import Testing

@testable import ServiceKit

@Suite("Fields of a body")
struct FieldsTests {
    private static func fields(_ text: String, unwrapsOptional: Bool = true) -> Fields {
        Fields(["it": .text(text)], unwrapsOptional: unwrapsOptional)
    }

    @Test(
        "What Swift prints of an optional text is read as that text",
        arguments: [
            "", "text", "모두의 공간", "nil", #"Optional("text")"#, "it's \"quoted\"", #"C:\new\table\u{41}"#,
            "a\r\nb\tc", "\u{301}accent first", "e\u{301} 👨‍👩‍👧 \u{1F3FB}", "\u{7F}\u{1}\u{85}\u{2028}\u{FEFF}",
            "\"\u{301}", "\n\u{301}", "\u{1112}\u{1161}",
        ]
    )
    func printed(text: String) throws {
        let read = try Self.fields(String(describing: Optional(text))).interpolatedText("it")
        #expect(read.map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test(
        "What Swift would have printed otherwise is left as it is",
        arguments: [
            "text", "Nil", "Optional", "Optional(text)", #"Optional(""#, #"Optional("a"b")"#, #"Optional("\")"#,
            #"Optional("\q")"#, #"Optional("\u{110000}")"#, #"Optional("\u{41")"#, #"Optional("\u41")"#,
            #" Optional("a")"#,
        ]
    )
    func others(text: String) throws {
        #expect(try Self.fields(text).interpolatedText("it") == text)
    }

    @Test("Only fields that are printed, of apps that print them, are read so", arguments: ["nil", #"Optional("a")"#])
    func literal(text: String) throws {
        #expect(try Self.fields(text).text("it") == text)
        #expect(try Self.fields(text).optionalText("it") == text)
        #expect(try Self.fields(text, unwrapsOptional: false).interpolatedText("it") == text)
    }

    @Test("Nothing printed is nothing; a NUL is refused as such and in print")
    func nothing() throws {
        #expect(try Self.fields("nil").interpolatedText("it") == "")
        #expect(try Self.fields("nil").interpolatedText("other") == nil)
        for text in ["a\0", #"Optional("a\0")"#, #"Optional("\u{0}")"#] {
            #expect(throws: Failure.self) { try Self.fields(text).interpolatedText("it") }
        }
    }
}
