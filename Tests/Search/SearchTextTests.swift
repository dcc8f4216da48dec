@_spi(_Unicode) import Swift
import Testing

@testable import Search

@Suite("Normalised text")
struct SearchTextTests {
    @Test(
        "Texts that look alike become equal",
        arguments: [
            ("Café", "cafe\u{301}"), ("회의록", "\u{1112}\u{116C}\u{110B}\u{1174}\u{1105}\u{1169}\u{11A8}"),
            ("ＡＢＣ１２", "abc12"), ("Ｅ\u{301}\u{323}", "\u{1EB9}\u{301}"),
            ("ㄱㅅ", "ㄳ"), ("ㄱㅅ", "ﾡﾵ"), ("a  b", "A\t\u{3000}\n B "), ("❤", "❤\u{FE0F}"), ("Å", "\u{212B}"),
            ("ㅏ", "\u{1161}"),
            ("soft\u{AD}", "soft"), ("가\u{200B}나", "가나"), ("葛", "葛\u{E0100}"), ("a\u{202A}b\u{202C}", "ab"),
            ("ガパ。", "ｶﾞﾊﾟ｡"), ("₩10¥", "￦１０￥"), ("│→■", "￨￫￭"), ("οδός", "ΟΔΌΣ"), ("5\u{3BC}m", "5\u{B5}M"),
            ("\u{B95}\u{BCA}", "\u{B95}\u{BC6}\u{BBE}"), ("\u{995}\u{9CB}", "\u{995}\u{9C7}\u{9BE}"),
        ])
    func folding(_ one: String, _ other: String) {
        #expect(SearchText(one).scalars == SearchText(other).scalars)
    }

    @Test("Every character that can be decomposed equals its parts")
    func decomposed() {
        var count = 0
        // No character beyond decomposes.
        for scalar in (0x80...0x2FA1D as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
            let character = String(scalar)
            let parts = String(String.UnicodeScalarView(character._nfd))
            if parts.unicodeScalars.elementsEqual(character.unicodeScalars) { continue }
            count += 1
            #expect(SearchText(parts).scalars == SearchText(character).scalars, "\(String(scalar.value, radix: 16))")
        }
        #expect(count > 13_000)
    }

    @Test(
        "Different texts stay different", arguments: [("가", "각"), ("ㄲ", "ㄱㄱ"), ("ß", "ss"), ("👩‍💻", "👩💻"), ("a b", "ab")])
    func difference(_ one: String, _ other: String) {
        #expect(SearchText(one).scalars != SearchText(other).scalars)
    }

    @Test("A match is reported in UTF-16 units of the original, decomposed letters and emoji included")
    func sources() throws {
        let original = "👍🏽 \u{1112}\u{116C}의 Cafe\u{301}!"
        let text = SearchText(original)
        let units = Array(original.utf16)
        for (query, expected) in [
            ("회의", "\u{1112}\u{116C}의"), ("café", "Cafe\u{301}"), ("!", "!"), ("ㅎㅇ", "\u{1112}\u{116C}의"),
        ] {
            let range = try #require(SearchQuery(query).ranges(in: text).first)
            #expect(String(decoding: units[text.source(of: range)], as: UTF16.self) == expected)
        }
    }
}
