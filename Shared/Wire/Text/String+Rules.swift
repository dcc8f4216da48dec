extension String {
    /// The text in Unicode's normalization form C, in which clients get it and the database keeps it.
    public var nfc: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : String(decoding: _nfcCodeUnits, as: UTF8.self)
    }

    /// What texts have in common that differ in normalization or case alone: the key under which emails and
    /// names are unique. `Straße` and `STRASSE` have the same, composed and decomposed `가` too; `ı` and `i`,
    /// which are different letters, have not. Not for display, and mail goes to the address that was stored,
    /// never to the one that was typed.
    public var caselessKey: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        var folded = ""
        for scalar in nfc.unicodeScalars {
            // By way of the capitals, so that ß and ss, σ and ς become alike; the capital of ı is that of i.
            folded += scalar == "ı" ? "ı" : String(scalar).lowercased().uppercased().lowercased()
        }
        return folded.nfc
    }

    /// Whether a reader counts as many characters as `range` allows, stored in at most 32 bytes for each: one character
    /// can be made as long as one likes.
    public func hasLength(in range: ClosedRange<Int>) -> Bool {
        utf8.count <= range.upperBound * 32 && range.contains(count)
    }
}
