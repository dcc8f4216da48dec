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

    @Test(
        "Everything else is no reaction",
        arguments: [
            "", " ", "a", "1", "#", "가", "ㅋ", ":)", ":+1:", "😀😀", "😀 ", " 😀", "😀a", "🇰", "🇽🇽", "🇰🇷🇰🇷", "🏽", "\u{200D}",
            "\u{FE0F}", "❤", "©", "❤\u{FE0E}", "😀\u{FE0E}", "😀\u{0301}", "a🏽", "😀🏽🏽", "🏴\u{E0067}\u{E007F}", "👩‍", "‍👩",
            "\u{20E3}",
            "a\u{20E3}", "↚", "♪", "\u{1F1E6}\u{200D}\u{1F1E7}", "<script>", "👩‍a",
            String(repeating: "😀‍", count: 40) + "😀",
        ])
    func refused(text: String) { #expect(Emoji(text) == nil) }
}
