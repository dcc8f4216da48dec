import Contract
import ServiceKit
import Wire

/// Changes messages, and reads changed ones.
struct MessageChanges: Sendable {
    let committer: ChangeCommitter
    let history: HistoryReader
    let profiles: ProfileCache
    let blocks: BlockCache
    let moderation: ModerationCache
    let mentions: MentionFinder
    let attachments: Attachments

    private var store: ChangeStore { history.primary.changes }

    /// The messages of a list with the cursor of the next page; nil at the end.
    struct Page: Sendable {
        let messages: [MessageBody]
        let next: String?
    }

    /// Applies a change and returns the message after its commit. Idempotent for reactions and pins. A muted or suspended user
    /// can only take back own messages and reactions.
    func apply(
        _ kind: PendingChange.Kind, to seq: Int64, in target: MessageTarget, by user: UserID
    ) async throws -> MessageBody {
        if kind.needsStanding { try await moderation.rules(of: target.workspace).requireWriting(user) }
        let change = PendingChange(target: target, seq: seq, user: user, kind: kind)
        switch try await committer.apply(change) {
        case .refused(let failure): throw failure
        case .done(let message, let erasedFiles):
            if !erasedFiles.isEmpty { await attachments.discard(paths: erasedFiles, in: target.workspace) }
            return try await body(message, for: user)
        }
    }

    /// Replaces the text of a message of the user, and moves its mentions. An edit sends no push.
    func edit(
        _ seq: Int64, to content: String, in target: MessageTarget, by user: UserID
    ) async throws -> MessageBody {
        let content = try await moderation.rules(of: target.workspace).filter.apply(to: content)
        let mentions = try await mentions.find(in: content, of: target, by: user)
        return try await apply(.edit(content, mentions: mentions), to: seq, in: target, by: user)
    }

    /// Deletes a message of the user, or of another one if `isModerator` says that the user may.
    func delete(
        _ seq: Int64, in target: MessageTarget, by user: UserID, isModerator: () async throws -> Bool
    ) async throws -> MessageBody {
        // The author of a message never changes, so it may be read before the room is locked.
        let message = try await existing(MessageKey(target.key, seq: seq))
        if message.author != user {
            guard try await isModerator() else {
                throw Failure(.notAllowed, "Only its author and owners may delete a message.")
            }
            try await moderation.rules(of: target.workspace).requireWriting(user)
        }
        return try await apply(.delete, to: seq, in: target, by: user)
    }

    /// One message, which may be deleted.
    func message(_ key: MessageKey, for user: UserID) async throws -> MessageBody {
        guard let message = try await store.find(key, for: .one(user)) else { throw Failure.notFound }
        return try await body(message, for: user)
    }

    /// A message that is not deleted.
    func existing(_ key: MessageKey) async throws -> StoredMessage {
        guard let message = try await store.find(key, for: .none), message.details.deletedAt == nil else {
            throw Failure.notFound
        }
        return message
    }

    /// The earlier texts of a message after a cursor, for its author, or for another user if `isOwner` says so.
    func versions(
        of key: MessageKey, for user: UserID, after cursor: Int64, limit: Int, isOwner: () async throws -> Bool
    ) async throws -> [ChangeStore.Version] {
        let message = try await existing(key)
        if message.author != user, !(try await isOwner()) {
            throw Failure(.notAllowed, "Only the author and the workspace's owner may see earlier texts.")
        }
        if try await blocks.blocked(by: user).contains(message.author) { return [] }
        return try await store.versions(of: key, after: cursor, limit: limit)
    }

    /// Pinned messages of a room, newest pin first.
    func pins(of room: RoomKey, for user: UserID, before cursor: PinCursor, limit: Int) async throws -> Page {
        let found = try await store.pins(
            of: room, before: (cursor.time, cursor.seq), limit: limit, for: .one(user))
        let last = found.count == limit ? found.last : nil
        let next = last.flatMap { last in
            last.details.pin.map { PinCursor(time: $0.at.milliseconds, seq: last.seq).text }
        }
        return Page(messages: try await bodies(found, for: user), next: next)
    }

    /// The messages of a room that changed after a revision.
    func changes(
        of room: RoomKey, after rev: Int64, limit: Int, for user: UserID
    ) async throws -> (messages: [MessageBody], rev: Int64, isComplete: Bool) {
        let (page, _) = try await history.read(room, seen: SeenPart(rev: rev)) { stores in
            try await stores.changes.page(of: room, after: rev, limit: limit, for: .one(user))
        }
        history.note(room.id, RoomHead(seq: 0, rev: page.head))
        return (try await bodies(page.messages, for: user), page.rev, page.rev >= page.head)
    }

    /// Messages as a user sees them, without the content of authors that the user has blocked.
    func bodies(_ messages: [StoredMessage], for user: UserID) async throws -> [MessageBody] {
        if messages.isEmpty { return [] }
        let people = try await profiles.members(messages.people)
        let blocked = try await blocks.blocked(by: user)
        return messages.map { $0.body(people).hiding(blocked) }
    }

    private func body(_ message: StoredMessage, for user: UserID) async throws -> MessageBody {
        guard let body = try await bodies([message], for: user).first else { throw Failure.notFound }
        return body
    }
}

/// A place in the list of a room's pins.
struct PinCursor: Sendable, Equatable {
    let time: Int64
    let seq: Int64

    /// Before the newest pin.
    static let first = PinCursor(time: .max, seq: .max)

    init(time: Int64, seq: Int64) {
        self.time = time
        self.seq = seq
    }

    /// Reads the text of a cursor; nil if it is none.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 2, let time = parts[0], let seq = parts[1] else { return nil }
        self.init(time: time, seq: seq)
    }

    var text: String { "\(time)-\(seq)" }
}
