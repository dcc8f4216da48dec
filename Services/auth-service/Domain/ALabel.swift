import Wire

/// The ASCII form of one label of a domain name: `xn--strae-oqa` for `straße` (RFC 5890).
enum ALabel {
    private static let prefix = "xn--"
    /// DNS limits a label to 63 bytes.
    private static let longest = 63

    /// Returns the ASCII form of a label in lower case. Returns nil for a label that is not in NFC and lower case, as
    /// IDNA requires: another program may read it as another domain.
    static func encode(_ label: Substring) -> String? {
        if label.utf8.allSatisfy({ $0 < 0x80 }) { return String(label).asciiLowercased }
        let text = String(label)
        guard text.utf8.elementsEqual(text.nfc.utf8), text.utf8.elementsEqual(text.lowercased().utf8),
            let encoded = Punycode.encode(text)
        else { return nil }
        let aLabel = prefix + encoded
        return aLabel.utf8.count <= longest ? aLabel : nil
    }
}

extension String {
    /// The text with A to Z in lower case and everything else unchanged.
    var asciiLowercased: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
