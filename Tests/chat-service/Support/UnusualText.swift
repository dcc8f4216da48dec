import TestSupport

/// Makes messages of unusual text, and other spellings of a text that search takes for the same.
struct UnusualText {
    /// The pieces that messages of a kind are made of.
    enum Kind: String, CaseIterable, Sendable {
        case latin, mixed, emoji, marks, jamo
    }

    private var random: SeededRandom
    private var chat: KoreanChat

    private static let latin = [
        "Café", "naïve", "Straße", "ÅNGSTRÖM", "İstanbul", "don't", "C++", "x_y", "a.b/c?d=1&e=2", "API", "release",
        "v2",
        "re-run", "50%", "Ⅳ", "①②", "ＡＢＣ", "no:value", "O’Brien",
    ]
    private static let emoji = ["👍🏽", "👩‍💻", "🇰🇷", "❤️", "1️⃣", "🙂", "👍", "🇰🇷🇯🇵", "ok👍", "가👍나"]
    private static let marks = [
        "e\u{301}\u{323}", "q\u{307}\u{323}", "हिन्दी", "עִבְרִית", "ก็ดี", "\u{212B}", "ñ", "cafe\u{301}",
        "Z\u{351}a\u{36B}l\u{343}g",
        "a\u{200B}b", "soft\u{AD}ware", "한\u{302}",
    ]
    private static let jamo = [
        "ㅋㅋㅋ", "ㄳ", "ㅄ", "ㄱㅅ", "ㅎㅎ", "\u{1100}\u{1161}\u{11A8}", "ﾡﾵ", "\u{1112}\u{116C}의", "ㅏㅏ", "검ㅅ", "값", "닭",
        "\u{1100}", "ㄲㅏ", "까",
    ]
    private static let spaces = [" ", " ", " ", "  ", "\t", "\u{3000}", "\u{A0}", ""]

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        chat = KoreanChat(seed: seed, rareNouns: 200)
    }

    /// The next message of a kind.
    mutating func message(_ kind: Kind) -> String {
        let count = Int.random(in: 1...6, using: &random)
        return (0..<count).map { _ in respelled(piece(kind)) + pick(Self.spaces) }.joined() + "."
    }

    /// A part of a text, between characters.
    mutating func part(of text: String) -> String {
        let characters = Array(text)
        let start = Int.random(in: 0..<characters.count, using: &random)
        return String(characters[start..<min(characters.count, start + Int.random(in: 1...5, using: &random))])
    }

    /// The same text for a reader: decomposed, in other case or width, with invisible marks.
    mutating func respelled(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.flatMap { spellings($0) }))
    }

    private mutating func piece(_ kind: Kind) -> String {
        switch kind {
        case .latin: pick(Self.latin)
        case .emoji: pick(Self.emoji + ["회의", "ok"])
        case .marks: pick(Self.marks + ["회의"])
        case .jamo: pick(Self.jamo + ["감사", "회의실"])
        case .mixed: chance(3) ? chat.message() : pick(Self.latin + Self.emoji + Self.marks + Self.jamo)
        }
    }

    private mutating func spellings(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        guard chance(3) else { return [scalar] }
        let value = scalar.value
        switch value {
        case 0x41...0x5A: return [shifted(value, by: chance(2) ? 0x20 : 0xFEE0)]
        case 0x61...0x7A: return [shifted(value, by: chance(2) ? -0x20 : 0xFEE0)]
        case 0x30...0x39: return [shifted(value, by: 0xFEE0)]
        case 0x3131: return ["\u{FFA1}"]
        case 0xAC00...0xD7A3:
            let index = value - 0xAC00
            let last = index % 28
            return [0x1100 + index / 588, 0x1161 + index % 588 / 28].compactMap(Unicode.Scalar.init)
                + (last == 0 ? [] : [shifted(last, by: 0x11A7)])
        case 0xE9: return ["e", "\u{301}"]
        default: return [scalar]
        }
    }

    private func shifted(_ value: UInt32, by distance: Int64) -> Unicode.Scalar {
        Unicode.Scalar(UInt32(Int64(value) + distance)) ?? " "
    }

    private mutating func pick(_ pieces: [String]) -> String {
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
    }

    /// True once in `count` times.
    private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
}
