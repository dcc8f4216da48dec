/// One emoji as Unicode defines it (UTS #51): a character with an emoji presentation, a keycap, a flag, or a sequence that
/// joins several of them. `text` is its fully qualified form, so that two spellings of one emoji are equal.
struct Emoji: Sendable, Hashable {
    let text: String

    private static let joiner: Unicode.Scalar = "\u{200D}"
    private static let emojiStyle: Unicode.Scalar = "\u{FE0F}"
    private static let keycap: Unicode.Scalar = "\u{20E3}"
    private static let blackFlag: Unicode.Scalar = "\u{1F3F4}"
    private static let lastTag: Unicode.Scalar = "\u{E007F}"
    /// No emoji of Unicode joins more.
    private static let mostElements = 10

    /// An emoji that was checked before it was stored.
    init(stored text: String) { self.text = text }

    /// Nil unless the text is exactly one emoji.
    init?(_ text: String) {
        // The longest emojis have 14 scalars.
        guard text.utf8.count <= 128, text.count == 1 else { return nil }
        let scalars = Array(text.unicodeScalars)
        guard let qualified = Self.flag(scalars) ?? Self.keycap(scalars) ?? Self.sequence(scalars) else { return nil }
        self.text = String(String.UnicodeScalarView(qualified))
    }

    /// A flag of a region, or of a part of the United Kingdom.
    private static func flag(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar]? {
        if scalars.first == blackFlag, scalars.last == lastTag {
            let tags = scalars.dropFirst().dropLast().compactMap { Unicode.Scalar($0.value &- 0xE0000) }
            let name = String(String.UnicodeScalarView(tags))
            return ["gbeng", "gbsct", "gbwls"].contains(name) ? scalars : nil
        }
        guard scalars.count == 2, scalars.allSatisfy({ ("\u{1F1E6}"..."\u{1F1FF}").contains($0) }) else { return nil }
        let letters = scalars.compactMap { Unicode.Scalar($0.value - 0x1F1E6 + 0x41) }
        return regions.contains(String(String.UnicodeScalarView(letters))) ? scalars : nil
    }

    /// A digit, `#` or `*` on a key.
    private static func keycap(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar]? {
        guard let key = scalars.first, ("0"..."9").contains(key) || key == "#" || key == "*",
            scalars.dropFirst().elementsEqual([emojiStyle, keycap]) || scalars.dropFirst().elementsEqual([keycap])
        else { return nil }
        return [key, emojiStyle, keycap]
    }

    /// One element, or several with joiners between them.
    private static func sequence(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar]? {
        let parts = scalars.split(separator: joiner, omittingEmptySubsequences: false)
        guard parts.count <= mostElements else { return nil }
        var qualified: [Unicode.Scalar] = []
        for part in parts {
            guard let element = element(Array(part), isAlone: parts.count == 1) else { return nil }
            if !qualified.isEmpty { qualified.append(joiner) }
            qualified += element
        }
        return qualified
    }

    /// An emoji character with an optional skin tone or style.
    ///
    /// - Parameter isAlone: a character that is text by default needs the emoji style then.
    private static func element(_ scalars: [Unicode.Scalar], isAlone: Bool) -> [Unicode.Scalar]? {
        guard let base = scalars.first, isEmojiCharacter(base) else { return nil }
        let isEmojiByDefault = base.properties.isEmojiPresentation
        switch (scalars.count, scalars.last) {
        case (1, _):
            if isEmojiByDefault { return [base] }
            return isAlone ? nil : [base, emojiStyle]
        case (2, emojiStyle):
            return isEmojiByDefault ? [base] : scalars
        case (2, let tone?) where tone.properties.isEmojiModifier:
            return base.properties.isEmojiModifierBase ? scalars : nil
        default:
            return nil
        }
    }

    /// Whether a scalar is an emoji, and not only a part of one such as a digit or a skin tone.
    private static func isEmojiCharacter(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmoji && !scalar.properties.isEmojiModifier && scalar.value > 0xFF
            && !("\u{1F1E6}"..."\u{1F1FF}").contains(scalar) || scalar.value == 0xA9 || scalar.value == 0xAE
    }

    /// The regions that have a flag.
    private static let regions = Set(
        """
        AC AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
        CA CC CD CF CG CH CI CK CL CM CN CO CP CQ CR CU CV CW CX CY CZ DE DG DJ DK DM DO DZ EA EC EE EG EH ER ES ET EU FI
        FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU IC ID IE IL IM IN IO IQ
        IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML
        MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS
        PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TA TC TD TF TG TH TJ TK
        TL TM TN TO TR TT TV TW TZ UA UG UM UN US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
