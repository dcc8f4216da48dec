extension String {
    /// The text in Unicode's normalization form C, the form in which the database stores it and clients receive it.
    public var nfc: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : String(decoding: _nfcCodeUnits, as: UTF8.self)
    }

    /// The key under which emails and names are unique: equal for texts that differ only in normalization or case.
    /// `Straße` and `STRASSE` have the same key, and so have composed and decomposed `가`; `ı` and `i`, which are
    /// different letters, do not. Do not display it. Mail goes to the stored address, never to the typed one.
    public var caselessKey: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        var folded = ""
        for scalar in nfc.unicodeScalars {
            // Through upper case, so that ß and ss, σ and ς become equal. ı is excepted, because its upper case is that
            // of i.
            folded += scalar == "ı" ? "ı" : String(scalar).lowercased().uppercased().lowercased()
        }
        return folded.nfc
    }

    /// Whether the text has as many characters, as a reader counts them, as `range` allows, and at most 32 bytes for
    /// each of them: combining marks can make one character arbitrarily long.
    public func hasLength(in range: ClosedRange<Int>) -> Bool {
        utf8.count <= range.upperBound * 32 && range.contains(count)
    }
}
