import Contract

/// The newest messages of a room, for sockets that are a little behind.
struct RecentMessages {
    private var messages: [RoomMessage] = []

    private static let count = 128

    mutating func append(_ message: RoomMessage) {
        messages.append(message)
        if messages.count > 2 * Self.count { messages.removeFirst(Self.count) }
    }

    /// Puts a changed message in the place of its earlier state, so that no socket is sent an edited or deleted text.
    mutating func replace(_ message: RoomMessage) {
        guard let index = messages.lastIndex(where: { $0.body.seq == message.body.seq }) else { return }
        let known = messages[index].body.revision?.rev ?? 0
        if message.body.revision?.rev ?? 0 > known { messages[index] = message }
    }

    mutating func removeAll() { messages = [] }

    /// The messages after a seq; nil if some of them are no longer at hand.
    func after(_ seq: Int64, head: Int64) -> [RoomMessage]? {
        guard seq < head else { return [] }
        guard let first = messages.first, first.body.seq <= seq + 1 else { return nil }
        return messages.filter { $0.body.seq > seq }
    }
}
