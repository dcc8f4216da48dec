import Foundation
import Testing
import Wire

@Suite("The grammar of RFC 8259")
struct JSONGrammarTests {
    @Test(
        "JSON is accepted",
        arguments: [
            "null", "true", "false", "0", "-0", "\"\"", "[]", "{}", " [ ] ", "\t\r\n {\t} \n", "[[]]", "[{}]", "[0,1]",
            "[1 , 2]",
            "1.5", "-1.5", "0.0", "-0.0", "0e1", "0e+1", "1E22", "1e-2", "1E+2", "1.5e3",
            "123456789012345678901234567890",
            "1e400", "[1e-400]", "20e1", "{\"a\":1,\"b\":[{}]}", "{\"\":0}", "{\"a\":1,\"a\":2}",
            "{\"a\" : 1 , \"b\" :2}",
            #""\"\\\/\b\f\n\r\t""#, #""\u0041\u00e9\uFFFF""#, #""\uD83D\uDE00""#, #""\ud83d\ude00""#, #""\u0000""#,
            "\"\u{7F}\"", "\"\u{2028}\u{2029}\"", "\"\u{FFFF}\u{10FFFF}\"", "\"\u{FEFF}\"", "\"한글\"",
            "[null,true,false,\"x\",1,{}]", "[\n1\n]", "\"\\u0061\\u30af\\u30EA\\u30b9\"", "{\"\\u0061\":1}",
        ])
    func accepted(text: String) throws {
        _ = try JSONValue(parsing: text)
    }

    @Test(
        "Text that is not JSON is refused",
        arguments: [
            // Truncated
            "", " ", "[", "{", "\"", "[1", "[1,", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "\"abc", "\"\\",
            "\"\\u",
            "\"\\u00", "nul", "tru", "fals", "-", "1.", "1e", "1e+", "[\"", "[\"a\\", #""\uD83D"#, #""\uD83D\"#,
            #""\uD83D\u"#,
            // Bytes after the value
            "1 2", "{}{}", "[]]", "{}}", "null,", "1,", "\"a\"x", "[][", "{} //", "0x", "\"\"\"",
            // Structure
            "]", "}", ",", ":", "[,]", "[,1]", "[1,]", "[1,,2]", "[1 2]", "[1:2]", "{,}", "{\"a\",1}", "{\"a\":1,}",
            "{\"a\" 1}", "{\"a\"::1}", "{1:1}", "{a:1}", "{'a':1}", "{null:1}", "{[]:1}", "{\"a\":1 \"b\":2}", "[}",
            "{]",
            "{\"a\":}", "{:1}", "[\"a\",}", "{\"a\":1]", "(1)", "<x>",
            // Literals
            "True", "NULL", "nulll", "truefalse", "nil", "undefined", "NaN", "Infinity", "-Infinity", "+null",
            // Numbers
            "+1", "01", "-01", "00", "1.e1", ".1", "-.1", "1..2", "1e1.5", "0x10", "1_000", "1 000", "1e", "1eE2",
            "--1", "- 1",
            "-a", "1a", "1.5.6", "1+1", "\u{FF11}", "0e", "0E+", "0.e1", "2.e+3", "- 0",
            // Strings
            "'a'", "\"\\x41\"", "\"\\a\"", "\"\\'\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\U0041\"", "\"\\u 041\"",
            "\"\n\"", "\"\t\"",
            "\"\u{0}\"", "\"\u{1F}\"", "\"\\\u{0}\"", "\"\\\n\"", "\"\\ \"", "\"\\u+041\"", "\"\\u-041\"",
            // Surrogates
            #""\uD800""#, #""\uDC00""#, #""\uDFFF""#, #""\uD83Dx""#, #""\uD83D\n""#, #""\uD83D\u0041""#,
            #""\uD83D\uD83D""#,
            #""\uDE00\uD83D""#, #"{"\uD800":1}"#, #""\uD83D \uDE00""#,
            // Blanks and comments that JSON does not allow
            "\u{FEFF}1", "\u{A0}1", "\u{B}1", "\u{C}1", "1\u{0}", "/**/1", "1//", "[1/**/]", "#1",
        ])
    func refused(text: String) {
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    @Test("An error gives its reason and the offset at which it was detected")
    func errors() {
        func error(_ bytes: [UInt8]) -> JSONError? {
            do throws(JSONError) {
                _ = try JSONValue(parsing: bytes, maximumDepth: 3)
                return nil
            } catch { return error }
        }
        func error(_ text: String) -> JSONError? { error(Array(text.utf8)) }
        #expect(error("[1,")?.reason == .incomplete)
        #expect(error("[1;2]")?.reason == .unexpectedByte)
        #expect(error("[1;2]")?.offset == 2)
        #expect(error("1 2")?.reason == .trailingBytes)
        #expect(error("1 2")?.offset == 2)
        #expect(error("\"a\n\"")?.reason == .controlCharacter)
        #expect(error("\"a\n\"")?.offset == 2)
        #expect(error(#""\q""#)?.reason == .invalidEscape)
        #expect(error(#""\uD800 ""#)?.reason == .loneSurrogate)
        #expect(error("[[[1]]]") == nil)
        #expect(error("[[[[1]]]]")?.reason == .tooDeep)
        #expect(error("[[{\"a\":{}}]]")?.offset == 7)
        #expect(error([0x22, 0x61, 0xFF, 0x22])?.reason == .invalidUTF8)
        #expect(error([0x22, 0x61, 0xFF, 0x22])?.offset == 2)
        #expect(error([0x5B, 0xFF])?.reason == .unexpectedByte)
    }

    @Test("Deep nesting never overflows the stack, with any limit on the depth")
    func depth() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: JSONError.self) { try JSONValue(parsing: deep, maximumDepth: .max) }
        let allowed = String(repeating: "{\"a\":[", count: 256) + String(repeating: "]}", count: 256)
        _ = try JSONValue(parsing: allowed, maximumDepth: 512)
        #expect(throws: JSONError.self) { try JSONValue(parsing: allowed, maximumDepth: 511) }
    }

    @Test("Every text made by changing one byte is accepted exactly if Foundation accepts it")
    func oneByteChanged() throws {
        let text = #"{"a":[1,-2.5e+1,"x\ny\u00e9",null,{"b":true}],"c":"가 🏠","d":false}"#
        let original = Array(text.utf8)
        for offset in original.indices {
            for byte in [
                0, 9, 10, 31, 32, 34, 43, 44, 45, 46, 47, 48, 57, 58, 69, 91, 92, 93, 101, 110, 116, 117, 123, 125, 127,
            ]
                + [0x80, 0xBF, 0xC0, 0xC3, 0xED, 0xEF, 0xF5, 0xFF] as [UInt8]
            {
                var changed = original
                changed[offset] = byte
                let ours = (try? JSONValue(parsing: changed)) != nil
                let theirs =
                    String(validating: changed, as: UTF8.self) != nil
                    && (try? JSONSerialization.jsonObject(with: Data(changed), options: .fragmentsAllowed)) != nil
                #expect(ours == theirs, "\(String(decoding: changed, as: UTF8.self))")
            }
        }
    }
}
