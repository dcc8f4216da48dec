import Foundation
import Testing
import Wire

@Suite("Rules of text")
struct TextRulesTests {
    @Test(
        "Texts that differ only in case or normalization have the same key",
        arguments: [
            ("Maru@Example.COM", "maru@example.com"), ("Straße", "STRASSE"), ("STRAẞE", "strasse"),
            ("\u{1112}\u{1161}\u{11AB}", "한"),
            ("É", "e\u{301}"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("\u{212A}elvin", "kelvin"), ("Ａ", "ａ"), ("ǅ", "ǆ"),
            ("ﬃ", "FFI"),
            ("ᾳ", "\u{3B1}\u{345}"), ("İ", "i\u{307}"), ("개발 ROOM", "개발 room"),
        ])
    func sameKey(left: String, right: String) {
        #expect(left.caselessKey == right.caselessKey)
        #expect(left.caselessKey.utf8.elementsEqual(right.caselessKey.utf8))
    }

    @Test(
        "Different texts have different keys",
        arguments: [("mıke@a.b", "mike@a.b"), ("한", "하"), ("a", "á"), ("general", "general "), ("0", "O"), ("가", "각")])
    func differentKeys(left: String, right: String) {
        #expect(left.caselessKey != right.caselessKey)
    }

    @Test("The key of a key is the key itself, in every normalization of the text")
    func keysAreStable() {
        for value in stride(from: UInt32(0x20), to: 0x3000, by: 1) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let key = String(scalar).caselessKey
            #expect(key.caselessKey.utf8.elementsEqual(key.utf8), "U+\(String(value, radix: 16))")
            let decomposed = String(scalar).decomposedStringWithCanonicalMapping
            #expect(decomposed.caselessKey.utf8.elementsEqual(key.utf8), "U+\(String(value, radix: 16))")
        }
    }

    @Test(
        "Normalization form C is the same as Foundation's",
        arguments: ["", "abc", "e\u{301}", "\u{1112}\u{1161}\u{11AB}글", "🏠\u{FE0F}", "\u{2126}"])
    func normalization(text: String) {
        #expect(text.nfc.utf8.elementsEqual(text.precomposedStringWithCanonicalMapping.utf8))
    }

    @Test("Lengths are counted as readers count")
    func lengths() {
        #expect("가나다".hasLength(in: 1...3))
        #expect("👨‍👩‍👧‍👦".hasLength(in: 1...1))
        #expect("e\u{301}".hasLength(in: 1...1))
        #expect(!"".hasLength(in: 1...30))
        #expect(!String(repeating: "a", count: 31).hasLength(in: 1...30))
        #expect(String(repeating: "\u{1112}\u{1161}\u{11AB}", count: 30).hasLength(in: 1...30))
    }

    @Test("One character with endless combining marks is too long")
    func marks() {
        let zalgo = "a" + String(repeating: "\u{301}", count: 1000)
        #expect(zalgo.count == 1)
        #expect(!zalgo.hasLength(in: 1...30))
    }
}
