import Contract
import Wire

/// What the parts of a profile may be.
enum ProfileRules {
    private static let nicknameLength = 1...30
    private static let longestPhone = 30

    /// 1 to 30 characters, as a reader counts them.
    static func nickname(_ text: String) throws(Failure) -> String {
        guard text.hasLength(in: nicknameLength) else {
            throw .invalid("A nickname has 1 to 30 characters.")
        }
        return text
    }

    /// Digits with or without hyphens; empty text is none, and is kept as it was sent.
    static func phone(_ text: String?) throws(Failure) -> String? {
        guard let text, !text.isEmpty else { return text }
        let isPhone =
            text.utf8.count <= longestPhone && text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
            && text.utf8.contains { $0 != 0x2D }
        guard isPhone else { throw .invalid("A phone number has digits and hyphens only.") }
        return text
    }
}
