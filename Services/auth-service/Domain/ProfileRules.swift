import Contract
import Wire

/// The rules for the fields of a profile.
enum ProfileRules {
    private static let nicknameLength = 1...30
    private static let longestPhone = 30

    /// Returns the nickname if it has 1 to 30 characters (grapheme clusters), one of them visible, and no character
    /// that is invisible or changes the direction of text: such a name could imitate another one.
    static func nickname(_ text: String) throws(Failure) -> String {
        guard text.hasLength(in: nicknameLength) else {
            throw .invalid("A nickname must have 1 to 30 characters.")
        }
        guard !text.hasDeceptiveCharacters, text.hasVisibleCharacter else {
            throw .invalid("A nickname may have visible characters only.")
        }
        return text
    }

    /// Returns the phone number if it has only digits and hyphens. Empty text means no number and is kept as sent.
    static func phone(_ text: String?) throws(Failure) -> String? {
        guard let text, !text.isEmpty else { return text }
        let isPhone =
            text.utf8.count <= longestPhone && text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
            && text.utf8.contains { $0 != 0x2D }
        guard isPhone else { throw .invalid("A phone number may have only digits and hyphens.") }
        return text
    }

    /// Returns the language of mails that a text names.
    static func language(_ text: String) throws(Failure) -> MailLanguage {
        guard let language = MailLanguage(rawValue: text) else { throw .invalid("language must be ko or en.") }
        return language
    }
}
