import Contract
import Wire

/// The name of a command: 1 to 32 lowercase letters, digits, Korean syllables and hyphens, with no hyphen at an end.
struct CommandName: Sendable, Hashable {
    let text: String

    private static let length = 1...32

    /// A name that a bot or a member sends. Throws for any other text.
    init(_ text: String) throws(Failure) {
        let name = text.nfc
        guard name.hasLength(in: Self.length), name.unicodeScalars.allSatisfy(Self.isAllowed), !name.hasPrefix("-"),
            !name.hasSuffix("-")
        else {
            throw .invalid(
                "The name of a command must have 1 to 32 lowercase letters, digits, Korean syllables and hyphens, and no hyphen at an end."
            )
        }
        self.text = name
    }

    /// A name from the database.
    init(stored text: String) { self.text = text }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "0"..."9", "-", "\u{AC00}"..."\u{D7A3}": true
        default: false
        }
    }
}
