import Contract

/// The rule for new passwords.
enum Password {
    private static let shortest = 8
    static let longestInBytes = 1024

    /// Returns the password if it has at least 8 characters, among them an upper-case letter, a lower-case letter, a
    /// digit and another character.
    static func checked(_ text: String) throws(Failure) -> String {
        let isStrong =
            text.count >= shortest && text.utf8.count <= longestInBytes
            && text.contains { $0.isUppercase } && text.contains { $0.isLowercase }
            && text.contains { $0.isNumber } && text.contains { !$0.isLetter && !$0.isNumber }
        guard isStrong else { throw .invalid("The password is too weak.") }
        return text
    }
}
