import Contract
import ServiceKit
import Wire

/// Reads threads, and lets users follow them.
///
/// A reply that is also in the timeline counts as unread there and not in its thread, so that a user's badge is the sum of all
/// rooms and threads.
struct Threads: Sendable {
    let store: ThreadStore
    let changes: MessageChanges
    let messages: MessageStore
    let details: MessageDetailStore
    let access: RoomAccess
    let publisher: UserStatePublisher

    /// A part of a thread with the state of its reader.
    struct Page: Sendable {
        let root: MessageBody
        let replies: [MessageBody]
        /// The seq after which the next page begins; nil at the end.
        let next: Int64?
        let isFollowing: Bool
        let readSeq: Int64
    }

    /// A followed thread.
    struct Item: Sendable {
        let room: RoomID
        /// The name of a channel; nil for a DM.
        let name: String?
        let root: MessageBody
        let last: MessageBody
        let counts: ThreadCounts
        let readSeq: Int64
    }

    /// The thread that a message is in or begins. The root may be deleted.
    func page(
        _ key: MessageKey, for user: UserID, after seq: Int64, limit: Int
    ) async throws -> Page {
        let root = try await root(of: key)
        var found = try await store.replies(to: root, after: seq, limit: limit + 1)
        let isLast = found.count <= limit
        if !isLast { found.removeLast() }
        try await details.fill(&found, for: .one(user))
        let following = try await store.following(root, of: user)
        return Page(
            root: try await changes.message(root, for: user), replies: try await changes.bodies(found, for: user),
            next: isLast ? nil : found.last?.seq, isFollowing: following?.isFollowing ?? false,
            readSeq: following?.readSeq ?? root.seq)
    }

    /// Nobody begins to follow a deleted message, also by a reply to it; a thread of one can still be left.
    func setFollowing(_ isFollowing: Bool, _ key: MessageKey, by caller: Caller) async throws {
        if isFollowing { _ = try await changes.existing(key) }
        let root = try await root(of: key)
        if isFollowing, root != key { _ = try await changes.existing(root) }
        try await store.setFollowing(isFollowing, root, of: caller.user)
        publisher.publish(.thread, of: caller, in: key.room)
    }

    /// Moves the caller's read marker in a thread forward, and returns its value.
    func advanceReadMarker(of caller: Caller, in key: MessageKey, to seq: Int64) async throws -> Int64 {
        guard seq >= 0 else { throw Failure.invalid("seq must not be negative.") }
        let root = try await root(of: key)
        guard let marker = try await store.advance(caller.user, in: root, to: seq) else { throw Failure.notFound }
        publisher.publish(.thread, of: caller, in: key.room)
        return marker
    }

    /// The threads of a workspace that the user follows and may read now, those with unread replies first.
    ///
    /// - Returns: the items, and the cursor of the next page.
    func list(
        _ user: UserID, in workspace: WorkspaceID, after cursor: ThreadCursor?, limit: Int
    ) async throws -> (items: [Item], next: ThreadCursor?) {
        let names = try await access.rooms(of: user, in: workspace)
        let found = try await store.list(
            of: user, hiding: try await changes.blocks.blocked(by: user), in: Array(names.keys), of: workspace,
            after: cursor ?? .first, limit: limit)
        var stored = try await messages.find(found.map(\.root) + found.map(\.last))
        try await details.fill(&stored, for: .one(user))
        let bodies = Dictionary(zip(stored.map(\.key), try await changes.bodies(stored, for: user))) { first, _ in first
        }
        let items = found.compactMap { thread -> Item? in
            guard let root = bodies[thread.root], let last = bodies[thread.last] else { return nil }
            return Item(
                room: thread.root.room, name: names[thread.root.room] ?? nil, root: root, last: last,
                counts: ThreadCounts(unread: thread.unread, mentions: thread.mentions), readSeq: thread.readSeq)
        }
        return (items, found.count == limit ? found.last.map(ThreadCursor.init) : nil)
    }

    /// The unread replies of the followed threads of a workspace.
    func counts(of user: UserID, in workspace: WorkspaceID) async throws -> ThreadCounts {
        try await store.counts(
            of: user, hiding: try await changes.blocks.blocked(by: user),
            in: Array(try await access.rooms(of: user, in: workspace).keys), of: workspace)
    }

    private func root(of key: MessageKey) async throws -> MessageKey {
        guard let root = try await store.root(of: key) else { throw Failure.notFound }
        return MessageKey(key.roomKey, seq: root)
    }
}

/// The unread replies of a thread or of several, without those that are in the timeline.
struct ThreadCounts: Sendable, Equatable {
    let unread: Int64
    /// Those among them that mention the user.
    let mentions: Int64
}

/// The place of a thread in the list of its follower.
struct ThreadCursor: Sendable, Equatable {
    /// 0 for a thread with unread replies, and 1 for others.
    let rank: Int32
    let lastAt: Timestamp
    let room: Int64
    let root: Int64

    /// Before all threads.
    static let first = ThreadCursor(rank: -1, lastAt: Timestamp(milliseconds: 0), room: 0, root: 0)

    private init(rank: Int32, lastAt: Timestamp, room: Int64, root: Int64) {
        self.rank = rank
        self.lastAt = lastAt
        self.room = room
        self.root = root
    }

    init(_ thread: ThreadStore.Followed) {
        self.init(
            rank: thread.unread > 0 ? 0 : 1, lastAt: thread.lastAt, room: thread.root.room.rawValue,
            root: thread.root.seq)
    }

    /// Reads the text of `text`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 4, let rank = parts[0].flatMap({ Int32(exactly: $0) }), let lastAt = parts[1],
            let room = parts[2], let root = parts[3]
        else { return nil }
        self.init(rank: rank, lastAt: Timestamp(milliseconds: lastAt), room: room, root: root)
    }

    var text: String { "\(rank)-\(lastAt.milliseconds)-\(room)-\(root)" }
}
