import Contract
import Wire

/// What workspaces and channels may be called.
enum Names {
    private static let length = 1...30
    private static let longestDescription = 1...1000
    /// Segments of the first generation's paths that a channel's name would be taken for.
    private static let reserved: Set<String> = ["my", ".", ".."]

    static func workspace(_ text: String) throws(Failure) -> String {
        let name = text.nfc
        guard name.hasLength(in: length), !name.isBlank else { throw .invalid("A name has 1 to 30 characters.") }
        return name
    }

    /// A channel's name is a segment of a path in the first generation, and data is shared.
    static func channel(_ text: String) throws(Failure) -> String {
        let name = try workspace(text)
        // A slash and an accent on it are one character, but not in a path.
        guard !name.utf8.contains(UInt8(ascii: "/")), !reserved.contains(name.caselessKey) else {
            throw .invalid("A channel cannot have this name.")
        }
        return name
    }

    /// A description of 1,000 characters at most; empty text is none.
    static func description(_ text: String?) throws(Failure) -> String? {
        guard let text, !text.isEmpty else { return text }
        guard text.hasLength(in: longestDescription) else { throw .invalid("The description is too long.") }
        return text
    }
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
