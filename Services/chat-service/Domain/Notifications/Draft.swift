import Contract
import ServiceKit
import Wire

/// A text that a user has begun to write.
struct Draft: Sendable, Equatable {
    /// The seq of the root of a thread; nil for the room itself.
    let thread: Int64?
    /// Empty for a cleared draft.
    let content: String
    let updatedAt: Timestamp

    /// Characters as a reader counts them; as many as a message has.
    private static let maxContent = 10_000

    init(thread: Int64?, content: String, updatedAt: Timestamp) {
        self.thread = thread
        self.content = content
        self.updatedAt = updatedAt
    }

    /// A draft as a client writes it now.
    init(writing content: String, thread: Int64?) throws(Failure) {
        guard content.isEmpty || content.hasLength(in: 1...Self.maxContent) else {
            throw .tooLarge("The content is too long.")
        }
        if let thread, thread < 1 { throw .notFound }
        self.init(thread: thread, content: content, updatedAt: .now)
    }
}

/// Keeps the drafts of users for all their devices. The last writer wins.
struct Drafts: Sendable {
    let store: DraftStore
    let messages: MessageStore
    let publisher: UserStatePublisher
    /// The largest number of drafts of a user.
    let limit: Int

    /// Stores a draft, or clears it if it is empty. The caller must be a member of the room.
    func put(_ written: Draft, in room: RoomKey, by caller: Caller) async throws {
        let thread = try await thread(of: written, in: room)
        let draft = Draft(thread: thread, content: written.content, updatedAt: written.updatedAt)
        guard try await store.put(draft, of: caller.user, in: room, limit: limit) else {
            throw Failure.invalid("You have too many drafts.")
        }
        publisher.publish(.draft, of: caller, in: room.id)
    }

    /// The root of the thread that a draft replies to; nil for a draft of the room itself. Throws `notFound` for a text that
    /// could not be sent there. A draft of a deleted message can still be cleared.
    private func thread(of draft: Draft, in room: RoomKey) async throws -> Int64? {
        guard let seq = draft.thread else { return nil }
        let named = try await messages.find([MessageKey(room, seq: seq)]).first
        let root = named?.traits?.thread?.root ?? seq
        if draft.content.isEmpty { return root }
        var open = [named]
        if root != seq { open += try await messages.find([MessageKey(room, seq: root)]) }
        guard open.allSatisfy({ $0.map { $0.details.deletedAt == nil } ?? false }) else { throw Failure.notFound }
        return root
    }
}
