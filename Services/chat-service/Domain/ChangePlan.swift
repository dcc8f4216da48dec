import Contract
import Wire

/// Decides the effect of each change of a batch, one after the other, without I/O. It begins with the rooms and messages as the
/// tables have them under the rooms' locks, and ends with the rows to write.
///
/// A message that several changes of the batch alter gets one new revision.
struct ChangePlan {
    /// A room as the table has it.
    struct Room {
        var rev: Int64
        var isClosed: Bool
        /// How many of its messages are pinned.
        var pins: Int
    }

    /// A message as the tables have it.
    struct Message {
        let author: UserID
        let createdAt: Timestamp
        var content: String
        var files: [String]
        var editedAt: Timestamp?
        var deletedAt: Timestamp?
        var isPinned: Bool
        /// The root of its thread; nil if it is no reply.
        var root: Int64?
        var mentions: [MessageMention] = []
        /// How many users have reacted, by emoji.
        var counts: [String: Int] = [:]
        /// The reactions of the batch's users.
        var reactions: Set<Reaction> = []
        /// Whether there is a thread of replies to it, or was one.
        var hasReplies = false

        var isDeleted: Bool { deletedAt != nil }
    }

    struct Reaction: Hashable {
        let emoji: String
        let user: UserID
    }

    enum Verdict: Equatable {
        /// `erased` are files that belong to no message any more.
        case accepted(erased: [String])
        case refused(Failure)
    }

    private var rooms: [RoomID: Room]
    private var messages: [MessageKey: Message]
    private let limits: ChangeLimits
    private let now: Timestamp
    private(set) var writes: ChangeWrites
    private var reacted: [MessageKey: [Reaction: Bool]] = [:]
    private var pinned: [MessageKey: UserID?] = [:]

    init(rooms: [RoomID: Room], messages: [MessageKey: Message], limits: ChangeLimits, now: Timestamp) {
        self.rooms = rooms
        self.messages = messages
        self.limits = limits
        self.now = now
        writes = ChangeWrites(time: now)
    }

    // MARK: Changes

    mutating func apply(_ change: PendingChange) -> Verdict {
        let key = change.key
        guard rooms[key.room]?.isClosed == false, let message = messages[key], !message.isDeleted else {
            return .refused(.notFound)
        }
        switch change.kind {
        case .edit(let content, let mentions): return edit(key, message, to: content, mentions, by: change.user)
        case .delete: return delete(key, message)
        case .react(let emoji): return react(key, message, Reaction(emoji: emoji.text, user: change.user))
        case .unreact(let emoji): return unreact(key, message, Reaction(emoji: emoji.text, user: change.user))
        case .pin: return setPin(key, message, by: change.user)
        case .unpin: return setPin(key, message, by: nil)
        }
    }

    private mutating func edit(
        _ key: MessageKey, _ message: Message, to content: String, _ mentions: MessageMentions, by user: UserID
    ) -> Verdict {
        guard message.author == user else {
            return .refused(Failure(.notAllowed, "Only its author may edit a message."))
        }
        if let window = limits.editWindow, message.createdAt + window < now {
            return .refused(Failure(.notAllowed, "The message is too old to be edited."))
        }
        guard !content.isEmpty || !message.files.isEmpty else {
            return .refused(.invalid("A message needs content or a file."))
        }
        guard content != message.content else { return .accepted(erased: []) }
        writes.versions.append(
            ChangeWrites.Version(
                key: key, content: message.content, writtenAt: message.editedAt ?? message.createdAt, writtenBy: user))
        messages[key]?.content = content
        messages[key]?.editedAt = now
        if mentions.list.map(\.number) != message.mentions.map(\.number) {
            messages[key]?.mentions = mentions.list
            writes.mentions[key] = mentions
        }
        writes.newTexts.insert(key)
        note(key)
        return .accepted(erased: [])
    }

    private mutating func delete(_ key: MessageKey, _ message: Message) -> Verdict {
        messages[key]?.deletedAt = now
        messages[key]?.content = ""
        messages[key]?.files = []
        if message.isPinned { rooms[key.room]?.pins -= 1 }
        writes.newTexts.insert(key)
        writes.erased.messages.append((key, message.files))
        writes.mentions[key] = nil
        note(key)
        if let root = message.root {
            // The summary of the thread changes.
            let rootKey = MessageKey(key.roomKey, seq: root)
            writes.erased.threads.insert(rootKey)
            note(rootKey)
        }
        return .accepted(erased: message.files)
    }

    private mutating func react(_ key: MessageKey, _ message: Message, _ reaction: Reaction) -> Verdict {
        guard !message.reactions.contains(reaction) else { return .accepted(erased: []) }
        guard message.counts[reaction.emoji] != nil || message.counts.count < limits.reactions else {
            return .refused(.invalid("The message has too many different reactions."))
        }
        messages[key]?.reactions.insert(reaction)
        messages[key]?.counts[reaction.emoji, default: 0] += 1
        reacted[key, default: [:]][reaction] = true
        note(key)
        return .accepted(erased: [])
    }

    private mutating func unreact(_ key: MessageKey, _ message: Message, _ reaction: Reaction) -> Verdict {
        guard message.reactions.contains(reaction) else { return .accepted(erased: []) }
        messages[key]?.reactions.remove(reaction)
        let count = (message.counts[reaction.emoji] ?? 1) - 1
        messages[key]?.counts[reaction.emoji] = count > 0 ? count : nil
        reacted[key, default: [:]][reaction] = false
        note(key)
        return .accepted(erased: [])
    }

    /// - Parameter user: pins the message; nil unpins it.
    private mutating func setPin(_ key: MessageKey, _ message: Message, by user: UserID?) -> Verdict {
        guard message.isPinned != (user != nil) else { return .accepted(erased: []) }
        if user != nil, rooms[key.room].map({ $0.pins >= limits.pins }) ?? true {
            return .refused(.invalid("The room has too many pinned messages."))
        }
        messages[key]?.isPinned = user != nil
        rooms[key.room]?.pins += user == nil ? -1 : 1
        pinned[key] = .some(user)
        note(key)
        return .accepted(erased: [])
    }

    /// Gives a message a new revision, unless it has one from this batch.
    private mutating func note(_ key: MessageKey) {
        guard writes.revs[key] == nil, let rev = rooms[key.room]?.rev else { return }
        rooms[key.room]?.rev = rev + 1
        writes.revs[key] = rev + 1
    }

    // MARK: Results

    /// The emojis with which a user has reacted to a message; for the users of the batch.
    func emojis(of user: UserID, on key: MessageKey) -> Set<String> {
        Set((messages[key]?.reactions ?? []).lazy.filter { $0.user == user }.map(\.emoji))
    }

    /// Whether other tables may have something about a message of the batch: its pin, reactions, replies, or previews.
    func hasDetails(_ key: MessageKey) -> Bool {
        guard let message = messages[key] else { return false }
        return message.isPinned || !message.counts.isEmpty || message.hasReplies || !message.files.isEmpty
    }

    /// A message as the batch leaves it, without its details in other tables.
    func changed(_ message: StoredMessage) -> StoredMessage {
        guard let rev = writes.revs[message.key], let now = messages[message.key] else { return message }
        var changed = message
        changed.content = now.content
        changed.files = now.files
        changed.details = MessageDetails(rev: rev, editedAt: now.editedAt, deletedAt: now.deletedAt)
        let mentions = now.isDeleted ? [] : now.mentions.map { MessageMention(number: $0.number) }
        if mentions != message.traits?.mentions ?? [] {
            let (thread, isScheduled) = (message.traits?.thread, message.traits?.isScheduled ?? false)
            changed.traits = MessageTraits(storedThread: thread, mentions: mentions, isScheduled: isScheduled)
        }
        return changed
    }

    /// The rows to write. A reaction or a pin that came and went within the batch is written and removed again, which
    /// does no harm.
    func finished() -> ChangeWrites {
        var writes = writes
        for key in writes.revs.keys {
            guard let message = messages[key] else { continue }
            writes.rooms[key.roomKey] = rooms[key.room]?.rev
            writes.messages.append(
                ChangeWrites.Row(
                    key: key, rev: writes.revs[key] ?? 0,
                    content: writes.newTexts.contains(key) ? message.content : nil,
                    editedAt: message.editedAt, deletedAt: message.deletedAt))
        }
        writes.messages.sort { ($0.key.room, $0.rev) < ($1.key.room, $1.rev) }
        for (key, reactions) in reacted {
            for (reaction, isThere) in reactions {
                let row = ChangeWrites.Reaction(key: key, emoji: reaction.emoji, user: reaction.user)
                if isThere { writes.addedReactions.append(row) } else { writes.removedReactions.append(row) }
            }
        }
        for (key, user) in pinned {
            if let user { writes.addedPins.append((key, user)) } else { writes.removedPins.append(key) }
        }
        return writes
    }
}

extension ChangePlan.Message {
    /// A message without reactions.
    init(_ message: StoredMessage, isPinned: Bool, hasReplies: Bool) {
        self.init(
            author: message.author, createdAt: message.createdAt, content: message.content, files: message.files,
            editedAt: message.details.editedAt, deletedAt: message.details.deletedAt, isPinned: isPinned,
            root: message.traits?.thread?.root, mentions: message.traits?.mentions ?? [], hasReplies: hasReplies)
    }
}

extension MessageTraits {
    /// Nil for a message without them.
    fileprivate convenience init?(storedThread thread: ReplyThread?, mentions: [MessageMention], isScheduled: Bool) {
        guard thread != nil || !mentions.isEmpty || isScheduled else { return nil }
        self.init(thread: thread, mentions: mentions, isScheduled: isScheduled)
    }
}
