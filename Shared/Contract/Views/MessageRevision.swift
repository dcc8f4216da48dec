public import Wire

/// The result of all edits, reactions and pins of a message, and of its deletion. A class, because most messages have none and a
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

    public init(
        rev: Int64, editedAt: Timestamp? = nil, deletedAt: Timestamp? = nil, pin: MessagePin? = nil,
        reactions: [MessageReaction] = []
    ) {
        self.rev = rev
        self.editedAt = editedAt
        self.deletedAt = deletedAt
        self.pin = pin
        self.reactions = reactions
    }

    public static func == (one: MessageRevision, other: MessageRevision) -> Bool {
        one === other
            || one.rev == other.rev && one.editedAt == other.editedAt && one.deletedAt == other.deletedAt
                && one.pin == other.pin && one.reactions == other.reactions
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
