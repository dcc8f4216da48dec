import Contract
import Wire

/// The rules for names of workspaces, channels, bots and tokens, and for descriptions.
enum NameRules {
    private static let length = 1...30
    private static let descriptionLength = 1...1000
    /// Bytes of a description: four for each character, so that combining characters do not multiply the size of lists.
    private static let descriptionBytes = 4000
    /// Names that have another meaning as a path segment in the first generation.
    private static let reserved: Set<String> = ["my", ".", ".."]

    /// Shipped apps show the name of a bot as a nickname, so the rules are those of nicknames.
    static func name(_ text: String) throws(Failure) -> String {
        let name = text.nfc
        guard name.hasLength(in: length), name.hasVisibleCharacter, !name.hasDeceptiveCharacters else {
            throw .invalid("A name must have 1 to 30 visible characters.")
        }
        return name
    }

    /// A channel's name is a path segment in the first generation, and both generations share the channels.
    static func channel(_ text: String) throws(Failure) -> String {
        let name = try Self.name(text)
        // Checked by byte: a slash with a combining accent is one character, but still a slash in a path.
        guard !name.utf8.contains(UInt8(ascii: "/")), !reserved.contains(name.caselessKey) else {
            throw .invalid("A channel cannot have this name.")
        }
        return name
    }

    /// A description has at most 1,000 characters and 4,000 bytes, and may be empty.
    static func description(_ text: String?) throws(Failure) -> String? {
        guard let text, !text.isEmpty else { return text }
        guard text.utf8.count <= descriptionBytes, text.hasLength(in: descriptionLength) else {
            throw .invalid("The description is too long.")
        }
        return text
    }
}

extension Failure {
    /// Another workspace, or another channel of the workspace, has the name.
    static let nameTaken = Failure.duplicate("The name is taken.")
}
