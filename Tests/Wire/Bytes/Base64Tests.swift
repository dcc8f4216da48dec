import Foundation
import Testing
import Wire

@Suite("Base64")
struct Base64Tests {
    @Test("Encoded bytes decode to themselves, and the text is the same as Foundation's")
    func roundTrip() {
        var random = SystemRandomNumberGenerator()
        for length in 0..<100 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Base64.encode(bytes.span, .standard) == Data(bytes).base64EncodedString())
            for form in [Base64.Form.standard, .standardUnpadded, .url] {
                #expect(Base64.decode(Base64.encode(bytes.span, form).utf8.span, form) == bytes)
            }
        }
    }

    @Test("The last two characters depend on the alphabet")
    func alphabets() {
        let bytes: [UInt8] = [0xFB, 0xFF]
        #expect(Base64.encode(bytes.span, .standard) == "+/8=")
        #expect(Base64.encode(bytes.span, .standardUnpadded) == "+/8")
        #expect(Base64.encode(bytes.span, .url) == "-_8")
    }

    @Test(
        "A text that no encoder writes is refused",
        arguments: [
            ("Zg", Base64.Form.standard), ("Zg=", .standard), ("Zg==", .url), ("Zh==", .standard), ("Zm9=", .standard),
            ("Z", .url), ("Zm 9v", .standard), ("Zm9v\n", .standard), ("====", .standard), ("-_8=", .standard),
            ("+/8", .url), ("Zg==Zg==", .standard), ("Zm9v=", .standard), ("Zé==", .standard),
        ])
    func malformed(text: String, form: Base64.Form) {
        #expect(Base64.decode(text.utf8.span, form) == nil)
    }
}
