@_spi(_Unicode) import Swift

/// Text in the form in which search compares it, with the way back to the original.
///
/// Texts that a reader takes for equal become equal: composed and decomposed letters (NFC; file names of Apple's systems are
/// decomposed), upper and lower case, full-width and half-width forms (`ScalarForms`), the three forms of jamo, and runs of white
/// space. Marks that cannot be seen, such as variation selectors, are left out. A consonant cluster becomes its two consonants.
public struct SearchText: Equatable, Sendable {
    /// The normalised scalars. White space is one U+0020 and stands neither first nor last.
    public private(set) var scalars: [UInt32] = []
    /// The part of the original, in UTF-16 units, that each scalar was made of.
    private var sources: [Range<Int32>] = []

    public init(_ text: String) {
        scalars.reserveCapacity(text.utf8.count / 2)
        sources.reserveCapacity(text.utf8.count / 2)
        var cluster = Cluster()
        for scalar in text.unicodeScalars {
            if !cluster.takes(scalar) { append(&cluster) }
            cluster.add(scalar)
        }
        append(&cluster)
        if scalars.last == Self.space { dropLast() }
    }

    /// Returns where a range of `scalars` stands in the original, in UTF-16 units.
    public func source(of range: Range<Int>) -> Range<Int> {
        guard !range.isEmpty else { return 0..<0 }
        return Int(sources[range.lowerBound].lowerBound)..<Int(sources[range.upperBound - 1].upperBound)
    }

    /// Says whether a word begins at an index of `scalars`: at the beginning, or after white space or punctuation.
    public func beginsWord(at index: Int) -> Bool {
        index == 0 || !Self.isPartOfWord(scalars[index - 1])
    }

    /// Says whether a word ends before an index of `scalars`.
    public func endsWord(before index: Int) -> Bool {
        index == scalars.count || !Self.isPartOfWord(scalars[index])
    }

    private static func isPartOfWord(_ value: UInt32) -> Bool {
        if Hangul.syllables.contains(value) { return true }
        guard let scalar = Unicode.Scalar(value) else { return false }
        return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }

    static let space: UInt32 = 0x20

    private mutating func append(_ cluster: inout Cluster) {
        defer { cluster.finish() }
        guard !cluster.scalars.isEmpty else { return }
        let source = cluster.source
        if cluster.scalars.count == 1, Self.isComposed(cluster.scalars[0].value) {
            appendFolded(cluster.scalars[0], from: source)
        } else {
            var text = String.UnicodeScalarView()
            // A full-width or half-width letter composes with its marks once it has its ordinary width.
            text.append(contentsOf: cluster.scalars.map(ScalarForms.ordinaryWidth))
            for scalar in String(text)._nfc { appendFolded(scalar, from: source) }
        }
    }

    private mutating func appendFolded(_ scalar: Unicode.Scalar, from source: Range<Int32>) {
        let value = scalar.value
        switch value {
        case 0x21...0x40, 0x5B...0x7E, Hangul.syllables: append(value, from: source)
        case 0x41...0x5A: append(value + 0x20, from: source)
        default: if !ScalarForms.isInvisible(value) { appendOther(scalar, from: source) }
        }
    }

    private mutating func appendOther(_ scalar: Unicode.Scalar, from source: Range<Int32>) {
        if scalar.properties.isWhitespace || scalar.value < Self.space {
            if let last = scalars.last, last != Self.space { append(Self.space, from: source) }
            return
        }
        let jamo = Hangul.compatibilityJamo(of: scalar.value)
        if let parts = Hangul.parts(of: jamo) {
            append(parts.first, from: source)
            append(parts.second, from: source)
        } else if jamo != scalar.value || Hangul.compatibilityConsonants.contains(jamo) {
            append(jamo, from: source)
        } else if let letter = ScalarForms.ordinaryCase(of: scalar.value) {
            append(letter, from: source)
        } else {
            for folded in scalar.properties.lowercaseMapping.unicodeScalars { append(folded.value, from: source) }
        }
    }

    private mutating func append(_ scalar: UInt32, from source: Range<Int32>) {
        scalars.append(scalar)
        sources.append(source)
    }

    private mutating func dropLast() {
        scalars.removeLast()
        sources.removeLast()
    }

    /// Says whether a scalar that stands alone is certainly in NFC. Other scalars go through the full normalisation.
    private static func isComposed(_ value: UInt32) -> Bool {
        switch value {
        case 0..<0x300, 0x3041...0x3096, 0x30A1...0x30FA, 0x3131...0x318E, 0x3400...0x9FFF, Hangul.syllables: true
        default: false
        }
    }
}

/// A scalar and the marks that combine with it, while a text is read from its beginning.
private struct Cluster {
    private(set) var scalars: [Unicode.Scalar] = []
    private var start: Int32 = 0
    private var end: Int32 = 0

    /// The cluster's place in the text, in UTF-16 units.
    var source: Range<Int32> { start..<end }

    /// Says whether a scalar combines with those before it. NFC never joins scalars of two clusters.
    func takes(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x300, Hangul.syllables: false
        // The vowels and final consonants of decomposed syllables.
        case 0x1160...0x11FF: true
        default: ScalarForms.composes(scalar.value) || scalar.properties.canonicalCombiningClass != .notReordered
        }
    }

    mutating func add(_ scalar: Unicode.Scalar) {
        scalars.append(scalar)
        end += scalar.value > 0xFFFF ? 2 : 1
    }

    mutating func finish() {
        scalars.removeAll(keepingCapacity: true)
        start = end
    }
}
