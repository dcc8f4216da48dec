import Contract
import Crypto
import ServiceKit
import Wire

/// The message that a client replies to. A reply to a reply joins the same thread.
struct ReplyRequest: Sendable, Equatable {
    let seq: Int64
    /// Whether the reply is also in the timeline of the room.
    let isInTimeline: Bool
}

/// A message as a client sends it.
struct SendRequest: Sendable {
    let content: String
    let files: [UploadedFile]
    let clientID: String?
    /// Nil for a message that begins no thread and continues none.
    let reply: ReplyRequest?
    /// The paths of files that are stored already, for a scheduled message.
    let kept: [String]

    static let maxFiles = 5
    /// Bytes of a body without its files. Fits the longest content even if each character consists of several scalars,
    /// like a flag, and each half of each scalar is escaped.
    static let maxText = 1 << 20
    /// Characters as a reader counts them.
    static let maxContent = 10_000
    private static let maxClientID = 64

    /// A message needs content, files or both.
    init(
        content: String?, files: [UploadedFile], clientID: String?, reply: ReplyRequest? = nil, kept: [String] = []
    ) throws(Failure) {
        let content = try Self.checked(content ?? "")
        guard !content.isEmpty || !files.isEmpty || !kept.isEmpty else {
            throw .invalid("A message needs content or a file.")
        }
        guard files.count <= Self.maxFiles else { throw .invalid("There are too many files.") }
        if let clientID {
            guard clientID.hasLength(in: 1...Self.maxClientID) else {
                throw .invalid("client_id must have 1 to 64 characters.")
            }
            try Self.requireStorable(clientID)
        }
        self.content = content
        self.files = files
        self.clientID = clientID
        self.reply = reply
        self.kept = kept
    }

    /// A content, which may be empty; throws if it is too long or has a NUL character.
    static func checked(_ content: String) throws(Failure) -> String {
        guard content.isEmpty || content.hasLength(in: 1...maxContent) else {
            throw .tooLarge("The content is too long.")
        }
        try requireStorable(content)
        return content
    }

    /// Texts of sockets come unchecked. Postgres stores no NUL, and a text with one would fail all messages of its batch.
    private static func requireStorable(_ text: String) throws(Failure) {
        guard !text.utf8.contains(0) else { throw .invalid("A text contains a NUL character.") }
    }

    /// The digest of content and files; nil without a `clientID`.
    func digest(of fileDigests: [[UInt8]]) -> [UInt8]? {
        guard clientID != nil else { return nil }
        var hash = SHA256()
        hash.update(Array(content.utf8).span)
        for digest in fileDigests {
            // Separates digests from the content: this byte occurs in no valid UTF-8.
            hash.update([0xFF].span)
            hash.update(digest.span)
        }
        if !kept.isEmpty { hash.update(Array(kept.joined(separator: "\n").utf8).span) }
        if let reply { hash.update(Array("\u{0}\(reply.seq)\(reply.isInTimeline)".utf8).span) }
        return hash.finalize()
    }
}
