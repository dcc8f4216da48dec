import Contract
import Wire

/// Decides how the replies of a batch of messages change their threads, without I/O. It begins with the messages that
/// they reply to, as the tables have them under the rooms' locks.
///
/// Each thread with new replies raises the revision of its root once for the whole batch.
struct ThreadPlan: Sendable {
    /// A message that replies name.
    struct Target: Sendable {
        /// The first message of the thread: the named message itself, unless that is a reply.
        let root: Int64
        /// Whether neither the message nor the root is deleted.
        let isOpen: Bool
        /// The author of the root and the users that it mentions, if it has no replies yet.
        let firstFollowers: [UserID]
        /// The newest authors of replies, newest first.
        let users: [UserID]
        /// The head of the room.
        let head: RoomHead
    }

    /// A thread with new replies.
    struct Root: Sendable, Equatable {
        let key: MessageKey
        /// The new revision of the root.
        let rev: Int64
        /// The seq that the newest reply gets.
        var lastSeq: Int64
        var added: Int64
        /// Whether some of the replies stay out of the timeline.
        var hasAsides: Bool
        /// The newest authors, newest first.
        var users: [UserID]
    }

    /// A user that follows a thread from now on.
    struct Follower: Sendable, Equatable {
        let key: MessageKey
        let user: UserID
        var reason: Reason
        /// The reply up to which the user has read the thread.
        var readSeq: Int64

        /// The raw value is a parameter of a statement.
        enum Reason: Int16, Sendable {
            /// The user wrote the root or is mentioned in it. It makes no one follow again.
            case root = 1
            case mentioned, replied
        }
    }

    private(set) var roots: [Root] = []
    private(set) var followers: [Follower] = []

    /// - Parameters:
    ///   - order: the messages to write, in the order in which they are numbered.
    ///   - targets: the messages that their replies name; all of them are open.
    init(_ order: BatchOrder, _ targets: [MessageKey: Target]) {
        var rootIndices: [MessageKey: Int] = [:]
        var followerIndices: [MessageKey: [UserID: Int]] = [:]
        var raised: [RoomID: Int64] = [:]
        let counts = Dictionary(uniqueKeysWithValues: zip(order.rooms, order.counts))
        for (message, following) in zip(order.messages, order.followers) {
            guard let reply = message.reply,
                let target = targets[MessageKey(message.roomKey, seq: reply.seq)]
            else { continue }
            let key = MessageKey(message.roomKey, seq: target.root)
            let seq = target.head.seq + (counts[message.room] ?? 0) - following
            if let index = rootIndices[key] {
                roots[index].add(seq, by: message.author, isAside: !reply.isInTimeline)
            } else {
                raised[message.room, default: target.head.rev] += 1
                rootIndices[key] = roots.count
                var root = Root(
                    key: key, rev: raised[message.room] ?? 0, lastSeq: seq, added: 0, hasAsides: false,
                    users: target.users)
                root.add(seq, by: message.author, isAside: !reply.isInTimeline)
                roots.append(root)
            }
            func follow(_ user: UserID, _ reason: Follower.Reason, _ readSeq: Int64) {
                guard let index = followerIndices[key]?[user] else {
                    followerIndices[key, default: [:]][user] = followers.count
                    return followers.append(Follower(key: key, user: user, reason: reason, readSeq: readSeq))
                }
                if reason.rawValue > followers[index].reason.rawValue { followers[index].reason = reason }
                if reason == .replied { followers[index].readSeq = readSeq }
            }
            for user in target.firstFollowers { follow(user, .root, target.root) }
            follow(message.author, .replied, seq)
            for case .user(let user, _) in message.following { follow(user, .mentioned, seq - 1) }
        }
    }
}

extension ThreadPlan.Root {
    fileprivate mutating func add(_ seq: Int64, by author: UserID, isAside: Bool) {
        lastSeq = seq
        added += 1
        hasAsides = hasAsides || isAside
        users = Array(([author] + users.filter { $0 != author }).prefix(RepliesSummary.shownUsers))
    }
}
