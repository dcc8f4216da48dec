import Search
import ServiceKit
import Wire

/// The parts of a message that search looks at.
struct SearchableMessage: Sendable {
    let seq: Int64
    let author: UserID
    let content: String
    let files: [String]
    let createdAt: Timestamp
    let hasReactions: Bool

    init(
        seq: Int64, author: UserID, content: String, files: [String], createdAt: Timestamp, hasReactions: Bool
    ) {
        self.seq = seq
        self.author = author
        self.content = content
        self.files = files
        self.createdAt = createdAt
        self.hasReactions = hasReactions
    }

    init(_ message: StoredMessage) {
        self.init(
            seq: message.seq, author: message.author, content: message.content, files: message.files,
            createdAt: message.createdAt, hasReactions: !message.details.reactions.isEmpty)
    }

    /// The content and the names of the files, normalised. A term stands in one of them as a whole.
    var texts: [SearchText] {
        [SearchText(content)] + files.map { SearchText(FileRecord.title(ofPath: $0)) }
    }

    var traits: SearchEntry.Traits {
        var traits: SearchEntry.Traits = []
        if !files.isEmpty { traits.insert(.file) }
        if files.contains(where: Self.isImage) { traits.insert(.image) }
        if Self.hasLink(content) { traits.insert(.link) }
        if hasReactions { traits.insert(.reaction) }
        return traits
    }

    private static func hasLink(_ content: String) -> Bool {
        guard content.contains("://") else { return false }
        let lowercased = content.lowercased()
        return lowercased.contains("https://") || lowercased.contains("http://")
    }

    private static func isImage(_ path: String) -> Bool {
        guard let dot = path.lastIndex(of: ".") else { return false }
        return FileType(suffix: path[path.index(after: dot)...])?.isImage == true
    }
}

extension FileRecord {
    /// The name of the file of a path, with its suffix.
    static func title(ofPath path: String) -> String {
        let last = path.split(separator: "/").last ?? ""
        guard let underscore = last.lastIndex(of: "_") else { return String(last) }
        let encoded = String(last[..<underscore])
        let name = PercentEncoding.decode(encoded) ?? encoded
        guard let dot = last.lastIndex(of: "."), let type = FileType(suffix: last[last.index(after: dot)...]) else {
            return name
        }
        return type.title(of: type.stem(of: name))
    }
}
