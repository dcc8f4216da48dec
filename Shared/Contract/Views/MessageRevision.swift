public import Wire

/// The result of all edits, reactions and pins of a message, of the replies to it, and of its deletion. A class, because most messages have none and a
/// message is copied often.
public final class MessageRevision: Sendable, Equatable {
    /// The revision of the room that the last change raised.
    public let rev: Int64
    public let editedAt: Timestamp?
    /// A deleted message has no content, files and reactions.
    public let deletedAt: Timestamp?
    public let pin: MessagePin?
    /// In the order of their first use.
    public let reactions: [MessageReaction]
    /// Nil for a message without replies.
    public let replies: RepliesSummary?

    public init(
        rev: Int64, editedAt: Timestamp? = nil, deletedAt: Timestamp? = nil, pin: MessagePin? = nil,
        reactions: [MessageReaction] = [], replies: RepliesSummary? = nil
    ) {
        self.rev = rev
        self.editedAt = editedAt
        self.deletedAt = deletedAt
        self.pin = pin
        self.reactions = reactions
        self.replies = replies
    }

    public static func == (one: MessageRevision, other: MessageRevision) -> Bool {
        one === other
            || one.rev == other.rev && one.editedAt == other.editedAt && one.deletedAt == other.deletedAt
                && one.pin == other.pin && one.reactions == other.reactions && one.replies == other.replies
    }
}

/// The user that pinned a message, and the time.
public struct MessagePin: Sendable, Equatable {
    public let at: Timestamp
    public let user: UserID

    public init(at: Timestamp, by user: UserID) {
        self.at = at
        self.user = user
    }
}

/// The replies in the thread of a message, without deleted ones.
public struct RepliesSummary: Sendable, Equatable {
    public let count: Int64
    /// When the newest was sent.
    public let lastAt: Timestamp
    /// Their authors, the newest first; at most `shownUsers`.
    public let users: [UserID]

    public static let shownUsers = 5

    public init(count: Int64, lastAt: Timestamp, users: [UserID]) {
        self.count = count
        self.lastAt = lastAt
        self.users = users
    }
}

/// All reactions to a message with one emoji.
public struct MessageReaction: Sendable, Equatable {
    public let emoji: String
    public let count: Int64
    /// The first users; at most `shownUsers`.
    public let users: [UserID]
    /// Whether the reader has reacted with it; nil outside of replies to one reader.
    public let isMine: Bool?

    public static let shownUsers = 20

    public init(emoji: String, count: Int64, users: [UserID], isMine: Bool? = nil) {
        self.emoji = emoji
        self.count = count
        self.users = users
        self.isMine = isMine
    }

    /// The same with a mark for its reader.
    public func marked(_ isMine: Bool) -> MessageReaction {
        MessageReaction(emoji: emoji, count: count, users: users, isMine: isMine)
    }
}

extension MessageRevision {
    /// Writes the members of a message that only native clients know; nil stands for a message without changes.
    static func writeMembers(_ revision: MessageRevision?, to json: inout JSONWriter, for profile: ClientProfile) {
        json.field("rev", revision?.rev ?? 0)
        if let at = revision?.editedAt { json.field("editedAt", at) }
        if let at = revision?.deletedAt { json.field("deletedAt", at) }
        if let pin = revision?.pin {
            json.field("pinnedAt", pin.at)
            json.field("pinnedBy", pin.user, for: profile)
        }
        if let replies = revision?.replies {
            json.object("replies") { json in
                json.field("count", replies.count)
                json.field("lastAt", replies.lastAt)
                json.field("users", replies.users.map(\.description))
            }
        }
        json.array("reactions") { json in
            for reaction in revision?.reactions ?? [] {
                json.object { json in
                    json.field("emoji", reaction.emoji)
                    json.field("count", reaction.count)
                    json.field("users", reaction.users.map(\.description))
                    if let isMine = reaction.isMine { json.field("mine", isMine) }
                }
            }
        }
    }
}

extension MessageRevision {
    /// The form of `writeMembers` in the reference.
    static let schema: [Schema.Member] = [
        .has("rev", .count, "The revision of the room that the last change of the message raised.").only(.native),
        .may("editedAt", .time).only(.native),
        .may("deletedAt", .time, "Of a deleted message, which has no content, files and reactions.").only(.native),
        .may("pinnedAt", .time).only(.native), .may("pinnedBy", .id).only(.native),
        .may(
            "replies",
            .object([
                .has("count", .count), .has("lastAt", .time),
                .has("users", .list(.digits, atMost: RepliesSummary.shownUsers), "The authors, the newest first."),
            ])
        ).only(.native),
        .has(
            "reactions",
            .list(
                .object([
                    .has("emoji", .text), .has("count", .count),
                    .has("users", .list(.digits, atMost: MessageReaction.shownUsers)),
                    .may("mine", .flag, "In replies to one reader."),
                ]))
        ).only(.native),
    ]
}
