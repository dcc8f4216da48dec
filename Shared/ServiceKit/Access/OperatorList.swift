internal import Crypto
internal import Wire

/// The rights of an operator.
public enum OperatorRole: String, Sendable, CaseIterable {
    /// Looks and acts.
    case `operator`
    /// Looks, and does not act.
    case viewer
    /// Has no access any more. The line keeps the name, so that no other operator gets it.
    case removed
}

/// The operators that have a credential of their own. Its text is the file `operators_file`: a line `name role digest day` for each
/// operator and `#` comments. The digest is the SHA-256 of the credential in hexadecimal.
public struct OperatorList: Sendable, Equatable {
    /// An operator with a credential of their own.
    public struct Entry: Sendable, Equatable {
        public let name: String
        public let role: OperatorRole
        /// The digest of the credential; `-` after the removal.
        public let digest: String
        /// The day since which the credential or the removal is in force, such as `2026-11-26`; empty if the line has none.
        public let day: String

        public init(name: String, role: OperatorRole, digest: String, day: String) {
            self.name = name
            self.role = role
            self.digest = digest
            self.day = day
        }
    }

    public private(set) var entries: [Entry] = []
    /// The numbers of the lines that cannot be read. They give no access.
    public private(set) var unreadable: [Int] = []

    /// The most characters of a name.
    public static let longestName = 64
    /// The fewest characters of a credential.
    static let shortestCredential = 32

    public init() {}

    /// Reads the text of the file. A second line of a name is unreadable.
    public init(_ text: String) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingSpaces
            if line.isEmpty || line.hasPrefix("#") { continue }
            if let entry = Self.entry(line.split(separator: " ").map(String.init)), self[entry.name] == nil {
                entries.append(entry)
            } else {
                unreadable.append(index + 1)
            }
        }
    }

    private static func entry(_ words: [String]) -> Entry? {
        guard (3...4).contains(words.count), isName(words[0]), let role = OperatorRole(rawValue: words[1]) else {
            return nil
        }
        let isDigest = Hexadecimal.decode(words[2].utf8.span)?.count == SHA256.length
        guard role == .removed ? words[2] == "-" : isDigest else { return nil }
        return Entry(name: words[0], role: role, digest: words[2].lowercased(), day: words.count > 3 ? words[3] : "")
    }

    /// The text of the file.
    public var text: String {
        entries.map { "\($0.name) \($0.role.rawValue) \($0.digest) \($0.day)".trimmingSpaces + "\n" }.joined()
    }

    /// The operator with this name.
    public subscript(name: String) -> Entry? { entries.first { $0.name == name } }

    /// Adds an operator, or replaces the line of the same name.
    public mutating func set(_ entry: Entry) {
        if let index = entries.firstIndex(where: { $0.name == entry.name }) {
            entries[index] = entry
        } else {
            entries.append(entry)
        }
    }

    /// The operator with this credential; nil if there is none, or for a credential too short to be secret. Digests are compared,
    /// so the time of the comparison reveals nothing about a credential.
    func holder(of credential: Span<UInt8>) -> Entry? {
        guard credential.count >= Self.shortestCredential else { return nil }
        let digest = Hexadecimal.encode(SHA256.digest(of: credential).span)
        return entries.first { $0.role != .removed && $0.digest == digest }
    }

    /// A new credential of 256 random bits, and its digest.
    public static func makeCredential() -> (text: String, digest: String) {
        let text = Base64.encode(SecureRandom.bytes(32).span, .url)
        return (text, Hexadecimal.encode(SHA256.digest(of: text.utf8.span).span))
    }

    /// Whether a text can be the name of an operator: letters, digits and `.@_-`.
    public static func isName(_ text: String) -> Bool {
        (1...longestName).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "@"), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
