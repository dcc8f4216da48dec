import Contract
import Wire

/// An email address of the form `local@domain.tld`.
struct EmailAddress: Sendable, Equatable {
    /// The address as the user wrote it.
    let text: String
    /// The key by which accounts are unique and found: in NFC, without ASCII case, the domain as A-labels.
    let key: String
    /// Whether accounts may be linked by the address. Only ASCII addresses are compared exactly by every provider.
    let isLinkable: Bool

    /// Bytes.
    static let longest = 254

    /// Checks the form only; no message is sent to the address.
    init(_ text: String) throws(Failure) {
        guard text.utf8.count <= Self.longest, let (local, labels) = Self.parts(of: text) else {
            throw .invalid("The email is not valid.")
        }
        self.text = text
        let aLabels = labels.map { ALabel.encode($0) }
        isLinkable = local.utf8.allSatisfy { $0 < 0x80 } && !aLabels.contains(nil)
        let domain = zip(labels, aLabels).map { label, aLabel in aLabel ?? Self.folded(label) }
        key = Self.folded(local) + "@" + domain.joined(separator: ".")
    }

    private static func parts(of text: String) -> (local: Substring, labels: [Substring])? {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }), labels[labels.count - 1].count >= 2,
            !text.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F })
        else { return nil }
        return (parts[0], labels)
    }

    /// NFC without ASCII case. Text that NFC would turn into ASCII, such as the Kelvin sign, stays as it is, because it
    /// is another address than the ASCII one.
    private static func folded(_ text: Substring) -> String {
        let composed = String(text).nfc
        let isDistinct = composed.utf8.contains { $0 >= 0x80 } || text.utf8.allSatisfy { $0 < 0x80 }
        return (isDistinct ? composed : String(text)).asciiLowercased
    }
}
