import Contract
import Wire

/// An email address of the form `local@domain.tld`.
struct EmailAddress: Sendable, Equatable {
    /// The address as the user wrote it.
    let text: String
    /// What addresses are compared by: NFC and without regard to case.
    let key: String

    /// Bytes.
    static let longest = 254

    /// Checks the form only; no message is sent to the address.
    init(_ text: String) throws(Failure) {
        guard text.utf8.count <= Self.longest, Self.hasForm(text) else { throw .invalid("The email is not valid.") }
        self.text = text
        key = text.caselessKey
    }

    private static func hasForm(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty } && labels[labels.count - 1].count >= 2
            && !text.unicodeScalars.contains { $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F }
    }
}
