public import Wire

/// The parts of a message that channels and DMs have in common.
public struct MessageBody: Sendable, Equatable {
    public let id: ChatID
    /// The message's number in the room: 1, 2, 3 … without a gap.
    public let seq: Int64
    public internal(set) var content: String
    public let createdAt: Timestamp
    /// Paths that begin with `/static/`; at most five.
    public internal(set) var files: [String]
    public let author: MemberView
    /// The id that the author's client gave the message before it was sent.
    public let clientID: String?
    /// Nil for a message without thread and mentions that was not scheduled.
    public let traits: MessageTraits?
    /// The result of all changes; nil if the message has never changed.
    public let revision: MessageRevision?
    /// Whether its reader has blocked its author; then it has no content.
    public private(set) var isBlocked = false

    public init(
        id: ChatID, seq: Int64, content: String, createdAt: Timestamp, files: [String], author: MemberView,
        clientID: String? = nil, traits: MessageTraits? = nil, revision: MessageRevision? = nil
    ) {
        self.id = id
        self.seq = seq
        self.content = content
        self.createdAt = createdAt
        self.files = files
        self.author = author
        self.clientID = clientID
        self.traits = traits
        self.revision = revision
    }

    public var isDeleted: Bool { revision?.deletedAt != nil }

    /// About as many bytes as its reactions have in JSON at most: emojis, ids and punctuation.
    public var reactionBytes: Int { (revision?.reactions ?? []).reduce(0) { $0 + 160 + 24 * $1.users.count } }

    /// About as many bytes as its mentions have in JSON at most.
    public var mentionBytes: Int { 48 * (traits?.mentions.count ?? 0) }

    func writeMembers(to json: inout JSONWriter, for profile: ClientProfile) {
        json.field("seq", seq)
        json.field("content", shownContent(for: profile))
        json.field("createdAt", createdAt)
        json.field("files", files)
        json.field("user", author, for: profile)
        if let clientID { json.field("client_id", clientID) }
        guard profile.isNative else { return }
        if isBlocked { json.field("blocked", true) }
        MessageTraits.writeMembers(traits, to: &json, for: profile)
        MessageRevision.writeMembers(revision, to: &json, for: profile)
    }

    /// The content with nicknames in the place of ids such as `<@5>`, for notifications and for clients that do not know
    /// those.
    public var plainContent: String { traits?.naming(content) ?? content }

    private func shownContent(for profile: ClientProfile) -> String {
        if profile.isNative { return content }
        if isDeleted { return profile.deletedText }
        if isBlocked { return profile.blockedText }
        return plainContent
    }
}

extension MessageBody {
    /// The message as the blockers of its author see it: its place, author and times, without text, files, mentions and
    /// reactions.
    public func blocked() -> MessageBody {
        let thread = traits?.thread.map { MessageTraits(thread: $0) }
        let revision = revision.map {
            MessageRevision(
                rev: $0.rev, editedAt: $0.editedAt, deletedAt: $0.deletedAt, pin: $0.pin, replies: $0.replies)
        }
        var hidden = MessageBody(
            id: id, seq: seq, content: "", createdAt: createdAt, files: [], author: author, traits: thread,
            revision: revision)
        hidden.isBlocked = true
        return hidden
    }

    /// The message as a reader with these blocked users sees it.
    public func hiding(_ blocked: Set<UserID>) -> MessageBody {
        !blocked.isEmpty && blocked.contains(author.id) ? self.blocked() : self
    }
}

extension MessageBody {
    /// The form of `writeMembers` in the reference.
    static let schema: [Schema.Member] =
        [
            .has("seq", .seq, "The place in the room: 1, 2, 3 and so on without gap."), .has("content", .text),
            .has("createdAt", .time), .has("files", .list(.path)),
            .has("user", .entity(MemberView.entity), "The author."),
            .may("client_id", .text, "As the author sent it."),
            .may("blocked", .flag, "Whether you have blocked the author; then it has no content.").only(.native),
        ] + MessageTraits.schema + MessageRevision.schema
}
