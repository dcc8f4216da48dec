/// The arithmetic of Hangul in Unicode: precomposed syllables, and the consonants that begin and end them.
///
/// A consonant is always given as its compatibility jamo (`ㄱ`, U+3131), the form that keyboards type. Scalars are plain
/// numbers here, because text is compared number by number.
enum Hangul {
    static let syllables: ClosedRange<UInt32> = 0xAC00...0xD7A3
    static let compatibilityConsonants: ClosedRange<UInt32> = 0x3131...0x314E

    /// The consonants a syllable can begin with, in the order of Unicode's syllables.
    private static let initials: [UInt32] = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ".unicodeScalars.map(\.value)
    /// The consonants a syllable can end with, in the order of Unicode's syllables; the first stands for none.
    private static let finals: [UInt32] =
        [0] + "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ".unicodeScalars.map(\.value)
    private static let vowelCount: UInt32 = 21

    /// Returns the consonant that a syllable begins with, the scalar itself if it is a lone consonant, and nil for
    /// everything else.
    static func initial(of scalar: UInt32) -> UInt32? {
        if syllables.contains(scalar) {
            return initials[Int((scalar - syllables.lowerBound) / (vowelCount * UInt32(finals.count)))]
        }
        return compatibilityConsonants.contains(scalar) ? scalar : nil
    }

    /// Returns the syllables that an open syllable becomes when `consonant` is typed after it: `다` and `ㄹ` give `달`, `닭`,
    /// `닮` and so on. Returns nothing if the syllable already ends with a consonant.
    static func closing(_ syllable: UInt32, with consonant: UInt32) -> [UInt32] {
        guard syllables.contains(syllable), (syllable - syllables.lowerBound) % UInt32(finals.count) == 0 else {
            return []
        }
        return finals.indices.dropFirst()
            .filter { finals[$0] == consonant || parts(of: finals[$0])?.first == consonant }
            .map { syllable + UInt32($0) }
    }

    /// Returns a syllable without the consonant at its end that the next key may take to a next syllable, and this consonant: `달`
    /// is `다` and `ㄹ`, `닭` is `달` and `ㄱ`, `있` is `이` and `ㅆ`. Returns nil if the syllable is open.
    static func withoutFinal(_ syllable: UInt32) -> (syllable: UInt32, next: UInt32)? {
        guard syllables.contains(syllable) else { return nil }
        let final = Int((syllable - syllables.lowerBound) % UInt32(finals.count))
        guard final > 0 else { return nil }
        let open = syllable - UInt32(final)
        guard let (first, second) = parts(of: finals[final]) else { return (open, finals[final]) }
        return (open + UInt32(finals.firstIndex(of: first) ?? 0), second)
    }

    /// Returns the two consonants of a cluster such as `ㄳ`. Some keyboards join `ㄱ` and `ㅅ` to it, so that a query of two
    /// initial consonants may arrive as one cluster.
    static func parts(of consonant: UInt32) -> (first: UInt32, second: UInt32)? {
        switch consonant {
        case 0x3133: (0x3131, 0x3145)  // ㄳ
        case 0x3135: (0x3134, 0x3148)  // ㄵ
        case 0x3136: (0x3134, 0x314E)  // ㄶ
        case 0x313A: (0x3139, 0x3131)  // ㄺ
        case 0x313B: (0x3139, 0x3141)  // ㄻ
        case 0x313C: (0x3139, 0x3142)  // ㄼ
        case 0x313D: (0x3139, 0x3145)  // ㄽ
        case 0x313E: (0x3139, 0x314C)  // ㄾ
        case 0x313F: (0x3139, 0x314D)  // ㄿ
        case 0x3140: (0x3139, 0x314E)  // ㅀ
        case 0x3144: (0x3142, 0x3145)  // ㅄ
        default: nil
        }
    }

    /// Returns the compatibility jamo of a jamo in another form: conjoining (U+1100) or half as wide (U+FFA1). Other scalars
    /// come back unchanged.
    static func compatibilityJamo(of scalar: UInt32) -> UInt32 {
        switch scalar {
        case 0x1100...0x1112: initials[Int(scalar - 0x1100)]
        case 0x1161...0x1175: 0x314F + (scalar - 0x1161)
        case 0x11A8...0x11C2: finals[Int(scalar - 0x11A7)]
        case 0xFFA1...0xFFBE: 0x3131 + (scalar - 0xFFA1)
        case 0xFFC2...0xFFC7: 0x314F + (scalar - 0xFFC2)
        case 0xFFCA...0xFFCF: 0x3155 + (scalar - 0xFFCA)
        case 0xFFD2...0xFFD7: 0x315B + (scalar - 0xFFD2)
        case 0xFFDA...0xFFDC: 0x3161 + (scalar - 0xFFDA)
        default: scalar
        }
    }
}
