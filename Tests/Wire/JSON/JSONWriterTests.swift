import Testing
import Wire

@Suite("Writing JSON")
struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        String(decoding: JSONWriter.bytes(write), as: UTF8.self)
    }

    @Test("Members and elements are separated by single commas, at any depth")
    func nesting() {
        let written = text { json in
            json.object { json in
                json.field("chat_id", 17)
                json.object("user") { json in
                    json.field("nickname", "마루")
                    json.field("phone", String?.none)
                    json.object("none") { _ in }
                }
                json.array("files") { json in
                    json.value("a")
                    json.object { $0.field("b", true) }
                    json.array { _ in }
                    json.value(2)
                }
                json.field("ids", [Int64.min, .max])
                json.field("last") { $0.null() }
            }
        }
        #expect(
            written == """
                {"chat_id":17,"user":{"nickname":"마루","phone":null,"none":{}},"files":["a",{"b":true},[],2],\
                "ids":[-9223372036854775808,9223372036854775807],"last":null}
                """)
    }

    @Test(
        "Only characters that must be escaped are escaped",
        arguments: [
            ("", #""""#), ("plain", #""plain""#), ("한글 🏠 é", #""한글 🏠 é""#), ("\"\\/", #""\"\\/""#),
            ("\n\r\t\u{8}\u{C}\u{0}\u{1F}\u{7F}", #""\n\r\t\b\f\u0000\u001f\#u{7F}""#),
            ("12345678\"2345678\\", #""12345678\"2345678\\""#), ("\u{2028}<>", "\"\u{2028}<>\""),
        ])
    func escapes(text: String, written: String) {
        #expect(self.text { $0.value(text) } == written)
    }

    @Test("A special character is found at every offset of a string of any length")
    func specialsAtEveryPlace() throws {
        for length in 1...24 {
            for offset in 0..<length {
                for special in ["\"", "\\", "\u{1F}", "가", "\u{0}"] {
                    let text =
                        String(repeating: "a", count: offset) + special
                        + String(repeating: "!", count: length - offset - 1)
                    #expect(try JSONValue(parsing: JSONWriter.bytes { $0.value(text) }).string == text)
                }
            }
        }
    }

    @Test("Doubles are read back unchanged; infinities and NaN are null")
    func doubles() {
        #expect(text { $0.value(0.1) } == "0.1")
        #expect(text { $0.value(1e300) } == "1e+300")
        #expect(text { $0.value(-0.0) } == "-0.0")
        #expect(text { $0.value(Double.nan) } == "null")
        #expect(text { $0.value(-Double.infinity) } == "null")
    }

    @Test("After its bytes were taken, a writer begins with another value")
    func take() {
        var json = JSONWriter()
        json.array { json in
            json.value("channel")
            json.raw(Array("{\"a\":1}".utf8))
        }
        #expect(String(decoding: json.take(), as: UTF8.self) == #"["channel",{"a":1}]"#)
        json.object {
            $0.key(escaping: "\"")
            $0.value(1)
        }
        #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"\"":1}"#)
    }
}
