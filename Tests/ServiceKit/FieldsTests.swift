import Contract
import Testing

@testable import ServiceKit

@Suite("Body fields")
struct FieldsTests {
    private static func fields(_ text: String, unwrapsOptional: Bool = true) -> Fields {
        Fields(["it": .text(text)], unwrapsOptional: unwrapsOptional)
    }

    @Test(
        "The description of an optional string is read as the string",
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
        "Any other text is left unchanged",
        arguments: [
            "text", "Nil", "Optional", "Optional(text)", #"Optional(""#, #"Optional("a"b")"#, #"Optional("\")"#,
            #"Optional("\q")"#, #"Optional("\u{110000}")"#, #"Optional("\u{41")"#, #"Optional("\u41")"#,
            #" Optional("a")"#,
        ]
    )
    func others(text: String) throws {
        #expect(try Self.fields(text).interpolatedText("it") == text)
    }

    @Test("Only interpolated fields are unwrapped, for profiles that need it", arguments: ["nil", #"Optional("a")"#])
    func literal(text: String) throws {
        #expect(try Self.fields(text).text("it") == text)
        #expect(try Self.fields(text).optionalText("it") == text)
        #expect(try Self.fields(text, unwrapsOptional: false).interpolatedText("it") == text)
    }

    @Test("A printed nil is empty; a NUL is refused, also as an escape")
    func nothing() throws {
        #expect(try Self.fields("nil").interpolatedText("it") == "")
        #expect(try Self.fields("nil").interpolatedText("other") == nil)
        for text in ["a\0", #"Optional("a\0")"#, #"Optional("\u{0}")"#] {
            #expect(throws: Failure.self) { try Self.fields(text).interpolatedText("it") }
        }
    }

    @Test("A field that is null is present and has no value")
    func null() {
        let fields = Fields(["null": .null, "empty": .text("")])
        #expect(!fields.hasValue("null") && fields.contains("null"))
        #expect(!fields.hasValue("other") && !fields.contains("other"))
        #expect(fields.hasValue("empty") && fields.contains("empty"))
    }
}
