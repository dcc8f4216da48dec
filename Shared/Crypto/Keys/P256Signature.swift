/// The forms of a P-256 signature r‖s. For each r, both s and n - s are valid, where n is the order of the group. The lower
/// one, s ≤ n/2, is the form that is signed here, so that nobody can make a second valid text of a token.
enum P256Signature {
    /// The length of a signature r‖s, in bytes.
    static let length = 64

    /// n and n/2 in 64-bit words, the most significant first.
    private static let order: InlineArray<4, UInt64> = [
        0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFF, 0xBCE6_FAAD_A717_9E84, 0xF3B9_CAC2_FC63_2551,
    ]
    private static let halfOrder: InlineArray<4, UInt64> = [
        0x7FFF_FFFF_8000_0000, 0x7FFF_FFFF_FFFF_FFFF, 0xDE73_7D56_D38B_CF42, 0x79DC_E561_7E31_92A8,
    ]

    /// Whether s ≤ n/2 in a signature of 64 bytes.
    static func hasLowS(_ signature: Span<UInt8>) -> Bool {
        for index in 0..<4 {
            let word = word(index, of: signature)
            if word != halfOrder[index] { return word < halfOrder[index] }
        }
        return true
    }

    /// Replaces a high s by n - s.
    static func makeLowS(_ signature: inout [UInt8]) {
        guard !hasLowS(signature.span) else { return }
        var borrow = false
        for index in (0..<4).reversed() {
            let (partial, first) = order[index].subtractingReportingOverflow(word(index, of: signature.span))
            let (word, second) = partial.subtractingReportingOverflow(borrow ? 1 : 0)
            borrow = first || second
            for byte in 0..<8 {
                signature[32 + index * 8 + byte] = UInt8(truncatingIfNeeded: word >> UInt64(56 - byte * 8))
            }
        }
    }

    /// A word of s.
    private static func word(_ index: Int, of signature: Span<UInt8>) -> UInt64 {
        var word: UInt64 = 0
        for byte in 0..<8 { word = word << 8 | UInt64(signature[32 + index * 8 + byte]) }
        return word
    }
}
