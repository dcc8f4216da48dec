/// The forms of a scalar that a reader takes for the same, beside those of NFC, lower case and jamo.
enum ScalarForms {
    /// The half-width letters and signs of Japanese from U+FF61 on, in their ordinary width.
    private static let kana = Array(
        ("。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン"
            + "\u{3099}\u{309A}").unicodeScalars)
    /// The full-width signs from U+FFE0 on, in their ordinary width.
    private static let signs = Array("¢£¬¯¦¥₩".unicodeScalars)
    /// The half-width signs from U+FFE8 on, in their ordinary width.
    private static let shapes = Array("│←↑→↓■○".unicodeScalars)

    /// The ordinary form of a full-width or half-width scalar; other scalars come back unchanged, and so do jamo, which
    /// `Hangul.compatibilityJamo` is for.
    static func ordinaryWidth(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.value {
        // The full-width forms of ASCII stand in its order.
        case 0xFF01...0xFF5E: Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
        case 0xFF5F: "\u{2985}"
        case 0xFF60: "\u{2986}"
        case 0xFF61...0xFF9F: kana[Int(scalar.value - 0xFF61)]
        case 0xFFE0...0xFFE6: signs[Int(scalar.value - 0xFFE0)]
        case 0xFFE8...0xFFEE: shapes[Int(scalar.value - 0xFFE8)]
        default: scalar
        }
    }

    /// The letter that a scalar is a form of, if its lower case is not: the `ς` at the end of a word, the `µ` of units.
    static func ordinaryCase(of scalar: UInt32) -> UInt32? {
        switch scalar {
        case 0xB5: 0x3BC  // µ
        case 0x17F: 0x73  // ſ
        case 0x3C2: 0x3C3  // ς
        case 0x3D0: 0x3B2  // ϐ
        case 0x3D1: 0x3B8  // ϑ
        case 0x3D5: 0x3C6  // ϕ
        case 0x3D6: 0x3C0  // ϖ
        case 0x3F0: 0x3BA  // ϰ
        case 0x3F1: 0x3C1  // ϱ
        case 0x3F5: 0x3B5  // ϵ
        case 0x1E9B: 0x1E61  // ẛ
        default: nil
        }
    }

    /// Whether a scalar cannot be seen: variation selectors, marks of direction, and marks where words may or may not break.
    /// The joiner of emoji is not among them, because it makes another character.
    static func isInvisible(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0xAD, 0x61C, 0x200B, 0x200C, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x2064, 0x2066...0x206F,
            0xFE00...0xFE0F, 0xFEFF, 0xE0100...0xE01EF:
            true
        default: false
        }
    }

    /// Whether a scalar may compose with the one before it, although its combining class is 0, as that of a letter: vowel
    /// signs of Bengali, Oriya, Tamil, Kannada, Malayalam, Sinhala, Myanmar and others, and the half-width marks of kana.
    static func composes(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x9BE, 0x9D7, 0xB3E, 0xB56, 0xB57, 0xBBE, 0xBD7, 0xCC2, 0xCD5, 0xCD6, 0xD3E, 0xD57, 0xDCF, 0xDDF, 0x102E,
            0x1B35, 0xFF9E, 0xFF9F, 0x11127, 0x1133E, 0x11357, 0x113B8, 0x113BB, 0x113C2, 0x113C9, 0x114B0, 0x114BA,
            0x114BD, 0x115AF, 0x11930, 0x1611E...0x16120, 0x16129, 0x16D67:
            true
        default: false
        }
    }
}
