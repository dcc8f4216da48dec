import Testing

@testable import chat_service

@Suite("Emojis")
struct EmojiTests {
    @Test(
        "Every kind of emoji is a reaction: plain, styled, toned, keycap, flag and joined",
        arguments: [
            "😀", "👍", "👍🏽", "❤️", "☝🏿", "1️⃣", "#️⃣", "*️⃣", "🇰🇷", "🇺🇳", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🏴‍☠️",
            "🧑🏻‍❤️‍💋‍🧑🏿", "👩🏽‍🚀", "©️", "㊗️", "🫱🏻‍🫲🏿", "⌚", "🈳",
        ])
    func accepted(text: String) { #expect(Emoji(text)?.text == text) }

    @Test("Two spellings of one emoji are one reaction")
    func spellings() {
        #expect(Emoji("👁‍🗨")?.text == "👁️‍🗨️")
        #expect(Emoji("🏃‍♂") == Emoji("🏃‍♂️"))
        #expect(Emoji("1\u{20E3}") == Emoji("1️⃣"))
        #expect(Emoji("😀\u{FE0F}") == Emoji("😀"))
    }

    private static let scalars = (0x21...0x1FFFF).compactMap(Unicode.Scalar.init)
    private static let tones: [Unicode.Scalar] = ["\u{1F3FB}", "\u{1F3FC}", "\u{1F3FD}", "\u{1F3FE}", "\u{1F3FF}"]
    private static let letters = ("\u{1F1E6}"..."\u{1F1FF}") as ClosedRange<Unicode.Scalar>

    private static func text(_ scalars: Unicode.Scalar...) -> String { String(String.UnicodeScalarView(scalars)) }

    @Test("Every scalar with an emoji presentation is a reaction, and no other scalar is")
    func allScalars() {
        let whole = Self.scalars.filter {
            $0.properties.isEmojiPresentation && !Self.letters.contains($0) && !$0.properties.isEmojiModifier
        }
        #expect(whole.count > 1000)
        #expect(whole.filter { Emoji(Self.text($0))?.text != Self.text($0) } == [])
        #expect(Self.scalars.filter { !$0.properties.isEmojiPresentation && Emoji(Self.text($0)) != nil } == [])
        let styled = Self.scalars.filter { $0.properties.isEmoji && !$0.isASCII && !Self.letters.contains($0) }
        #expect(styled.filter { !$0.properties.isEmojiModifier && Emoji(Self.text($0, "\u{FE0F}")) == nil } == [])
    }

    @Test("Every emoji of people has five skin tones, and no other one has any")
    func allTones() {
        let based = Self.scalars.filter(\.properties.isEmojiModifierBase)
        #expect(based.count > 100)
        for tone in Self.tones {
            #expect(based.filter { Emoji(Self.text($0, tone)) == nil } == [])
            #expect(Emoji(Self.text("\u{1F355}", tone)) == nil)
        }
    }

    @Test("The flags of the 259 regions of Unicode 16 are reactions, and no other pairs of letters are")
    func allFlags() {
        let letters = Self.scalars.filter(Self.letters.contains)
        let pairs = letters.flatMap { first in letters.map { Self.text(first, $0) } }
        #expect(pairs.count { Emoji($0)?.text == $0 } == 259)
    }

    @Test(
        "Any other text is refused as a reaction",
        arguments: [
            "", " ", "a", "1", "#", "가", "ㅋ", ":)", ":+1:", "😀😀", "😀 ", " 😀", "😀a", "🇰", "🇽🇽", "🇰🇷🇰🇷", "🏽", "\u{200D}",
            "\u{FE0F}", "❤", "©", "❤\u{FE0E}", "😀\u{FE0E}", "😀\u{0301}", "a🏽", "😀🏽🏽", "🏴\u{E0067}\u{E007F}", "👩‍", "‍👩",
            "\u{20E3}",
            "a\u{20E3}", "↚", "♪", "\u{1F1E6}\u{200D}\u{1F1E7}", "<script>", "👩‍a",
            String(repeating: "😀‍", count: 40) + "😀",
        ])
    func refused(text: String) { #expect(Emoji(text) == nil) }
}
