import Contract

/// The newest messages of a room, for sockets that are a little behind. The sockets of a room that come back together need the
/// same ones, so those that were fetched for one of them are kept for the others.
struct RecentMessages {
    private var messages: [RoomMessage] = []
    /// The seq after which all messages are at hand; nil if the room's head is not known to be after any.
    private var start: Int64?
    /// Counts the changes that messages at hand may have gone through.
    private(set) var version: UInt64 = 0

    private static let count = 128

    mutating func append(_ message: RoomMessage) {
        if start == nil { start = message.body.seq - 1 }
        messages.append(message)
        if messages.count > 2 * Self.count {
            start = messages[Self.count - 1].body.seq
            messages.removeFirst(Self.count)
        }
    }

    /// Keeps fetched messages that lead up to those at hand. If a change was heard of since they were asked for, they may be
    /// older than the change, and are not kept.
    ///
    /// - Parameters:
    ///   - page: all messages after `seq` up to `end`.
    ///   - head: the room's head.
    ///   - version: the version when they were asked for.
    mutating func prepend(
        _ page: [RoomMessage], after seq: Int64, through end: Int64, head: Int64, askedAt version: UInt64
    ) {
        let known = start ?? head
        guard version == self.version, seq < known, end >= known, messages.count + page.count <= 2 * Self.count else {
            return
        }
        messages.insert(contentsOf: page.filter { $0.body.seq > seq && $0.body.seq <= known }, at: 0)
        start = seq
    }

    /// Puts a changed message in the place of its earlier state, so that no socket is sent an edited or deleted text.
    mutating func replace(_ message: RoomMessage) {
        version &+= 1
        guard let index = messages.lastIndex(where: { $0.body.seq == message.body.seq }) else { return }
        let known = messages[index].body.revision?.rev ?? 0
        if message.body.revision?.rev ?? 0 > known { messages[index] = message }
    }

    mutating func removeAll() {
        version &+= 1
        messages = []
        start = nil
    }

    /// The messages after a seq; nil if some of them are not at hand.
    func after(_ seq: Int64, head: Int64) -> [RoomMessage]? {
        guard seq < head else { return [] }
        guard let start, start <= seq else { return nil }
        return messages.filter { $0.body.seq > seq }
    }
}
