public import Wire

/// The parts of a message that most messages lack: its thread and its mentions, whether it was scheduled, and the previews of
/// its pictures. A class, because a message is copied often.
public final class MessageTraits: Sendable, Equatable {
    /// Nil for a message that is not a reply.
    public let thread: ReplyThread?
    /// In the order in which the text names them first.
    public let mentions: [MessageMention]
    public let isScheduled: Bool
    /// Of the files that are pictures, in the order of the files. A picture that could not be read has none.
    public let previews: [FilePreview]

    public init(
        thread: ReplyThread? = nil, mentions: [MessageMention] = [], isScheduled: Bool = false,
        previews: [FilePreview] = []
    ) {
        self.thread = thread
        self.mentions = mentions
        self.isScheduled = isScheduled
        self.previews = previews
    }

    public static func == (one: MessageTraits, other: MessageTraits) -> Bool {
        one === other
            || one.thread == other.thread && one.mentions == other.mentions && one.isScheduled == other.isScheduled
                && one.previews == other.previews
    }
}

/// The place of a reply.
public struct ReplyThread: Sendable, Equatable {
    /// The seq of the message that all messages of the thread reply to.
    public let root: Int64
    /// Whether the reply is also in the timeline of the room. Clients of the native API show other replies in the thread alone.
    public let isInTimeline: Bool

    public init(root: Int64, isInTimeline: Bool) {
        self.root = root
        self.isInTimeline = isInTimeline
    }
}

/// A user or a group that a message mentions.
public enum MessageMention: Sendable, Equatable {
    /// - Parameter nickname: the name that other clients show in the place of `<@5>`; nil if the text has no such id.
    case user(UserID, nickname: String?)
    /// All members, by `@channel`.
    case room
    /// The present members, by `@here`.
    case here

    var type: String {
        switch self {
        case .user: "user"
        case .room: "room"
        case .here: "here"
        }
    }
}

extension MessageTraits {
    /// Digits of the longest id.
    private static let longestID = 19
    /// Bytes of nicknames after which further ids of a text stay. A text of 10,000 characters may name one user 2,500 times.
    private static let mostNameBytes = 32 * 1024

    /// A text with nicknames in the place of ids such as `<@5>`, for clients that do not know those. A nickname that looks
    /// like an id stays as it is.
    func naming(_ content: String) -> String {
        var nicknames: [Substring: String] = [:]
        for case .user(let user, let nickname?) in mentions { nicknames["\(user)"] = nickname }
        if nicknames.isEmpty { return content }
        var (named, rest, left) = ("", content[...], Self.mostNameBytes)
        while left > 0, let start = rest.firstRange(of: "<@") {
            let id = rest[start.upperBound...].prefix(Self.longestID).prefix { $0 != ">" }
            if let nickname = nicknames[id], rest[id.endIndex...].first == ">" {
                named += rest[..<start.lowerBound] + "@" + nickname
                rest = rest[id.endIndex...].dropFirst()
                left -= nickname.utf8.count
            } else {
                named += rest[..<start.upperBound]
                rest = rest[start.upperBound...]
            }
        }
        return named + rest
    }

    /// Writes the members that only native clients know; nil stands for a message without them.
    static func writeMembers(_ traits: MessageTraits?, to json: inout JSONWriter, for profile: ClientProfile) {
        if let thread = traits?.thread { json.object("thread") { thread.write(to: &$0) } }
        json.array("mentions") { json in
            for mention in traits?.mentions ?? [] {
                json.object { json in
                    json.field("type", mention.type)
                    if case .user(let user, _) = mention { json.field("user_id", user, for: profile) }
                }
            }
        }
        if traits?.isScheduled == true { json.field("scheduled", true) }
        FilePreview.writeMember(traits?.previews ?? [], to: &json)
    }
}

extension ReplyThread {
    func write(to json: inout JSONWriter) {
        json.field("root", root)
        if isInTimeline { json.field("toRoom", true) }
    }
}

extension MessageTraits {
    /// The form of `writeMembers` in the reference.
    static let schema: [Schema.Member] = [
        .may(
            "thread",
            .object([
                .has("root", .seq, "The `seq` of the message that the thread belongs to."),
                .may("toRoom", .flag, "Whether the reply is also in the timeline."),
            ]), "The thread of a reply."
        ).only(.native),
        .has(
            "mentions",
            .list(.object([.has("type", .choice(["user", "room", "here"])), .may("user_id", .id, "Of a user.")]))
        ).only(.native),
        .may("scheduled", .flag, "Whether it was sent at a set time.").only(.native),
        .may("previews", .list(.entity(FilePreview.entity)), "Of the files that are pictures.").only(.native),
    ]
}
