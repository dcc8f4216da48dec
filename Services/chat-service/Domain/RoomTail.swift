import Contract
import Wire

/// The newest messages of a room, from which the unread messages of most of its members are counted without Postgres.
///
/// It is the same for all members, and it holds for one head: every message raises the room's `seq`, and every change its `rev`.
struct RoomTail: Sendable {
    /// The part of a message that a count needs.
    struct Message: Sendable {
        let author: UserID
        let isDeleted: Bool
        /// Whether it is in its thread alone.
        let isAside: Bool
    }

    /// A message and a number under which it mentions users.
    struct Mention: Equatable, Sendable {
        let seq: Int64
        let number: Int64
    }

    let head: RoomHead
    /// The newest message of the timeline.
    let last: StoredMessage?
    /// The messages with a `seq` above `start`, in order and without a gap.
    private let messages: [Message]
    /// The mentions in them; nil if there are too many.
    private let mentions: [Mention]?

    /// Messages that are kept of a room.
    static let length: Int64 = 32
    /// Mentions that are kept of a room. A message to all present members has one for each of them.
    static let mostMentions = 64
    /// Unicode scalars of the content of the last message: one more than a start shows, because longer contents are marked.
    static let contentLength = MyRooms.maxContent + 1

    /// - Parameters:
    ///   - messages: the newest ones, in order up to the head; at least `length` if the room has as many.
    ///   - mentions: nil if there are too many.
    init(head: RoomHead, last: StoredMessage?, messages: [Message], mentions: [Mention]?) {
        self.head = head
        self.last = last
        self.messages = messages
        self.mentions = mentions
    }

    /// The seq before the first message.
    private var start: Int64 { head.seq - Int64(messages.count) }

    /// The memory that it takes, about.
    var weight: Int {
        256 + messages.count * MemoryLayout<Message>.stride + (mentions?.count ?? 0) * MemoryLayout<Mention>.stride
            + (last.map { $0.content.utf8.count + $0.files.reduce(0) { $0 + $1.utf8.count } } ?? 0)
    }

    /// The room for a user; nil if it cannot tell, because it does not reach back to the read marker.
    ///
    /// - Parameters:
    ///   - stored: the user's read marker. An own message in the timeline after it counts as one.
    ///   - blocked: authors; their messages count for nothing.
    func state(in room: RoomID, of user: UserID, marker stored: Int64, hiding blocked: Set<UserID>) -> RoomState? {
        guard head.seq > stored else { return state(in: room, marker: stored, unread: 0, mentions: 0) }
        let start = start
        let own = messages.lastIndex { $0.author == user && !$0.isAside }.map { start + 1 + Int64($0) }
        let marker = max(stored, own ?? 0)
        guard marker >= start else { return nil }
        var unread: Int64 = 0
        for message in messages[Int(marker - start)...] where counts(message, for: user, hiding: blocked) {
            if !message.isDeleted { unread += 1 }
        }
        guard let mentions else { return unread > 0 ? nil : state(in: room, marker: marker, unread: 0, mentions: 0) }
        var (mentioning, lastSeq): (Int64, Int64) = (0, 0)
        if let last = mentions.last, last.seq > marker {
            let numbers = MessageMention.numbers(of: user)
            for mention in mentions where mention.seq > marker && mention.seq != lastSeq {
                guard numbers.contains(mention.number),
                    counts(messages[Int(mention.seq - start) - 1], for: user, hiding: blocked)
                else { continue }
                mentioning += 1
                lastSeq = mention.seq
            }
        }
        return state(in: room, marker: marker, unread: unread, mentions: mentioning)
    }

    private func counts(_ message: Message, for user: UserID, hiding blocked: Set<UserID>) -> Bool {
        message.author != user && !message.isAside && (blocked.isEmpty || !blocked.contains(message.author))
    }

    private func state(in room: RoomID, marker: Int64, unread: Int64, mentions: Int64) -> RoomState {
        RoomState(room: room, head: head, readMarker: marker, unread: unread, mentions: mentions, last: last)
    }
}
