import Contract

/// Brings a room's messages into their order: drops repeated ones, keeps early ones, and says when to backfill a gap.
///
/// Sans-I/O. It delivers nothing before `start`, which tells the room's head when its events began to arrive.
struct MessageOrder {
    enum Action: Equatable {
        /// The next message in order.
        case deliver(RoomMessage)
        /// Messages after this seq are missing: ask for them, and answer with `backfilled` or `backfillFailed`.
        case backfill(after: Int64)
    }

    /// The newest seq delivered; nil before `start`.
    private(set) var last: Int64?
    private var early: [Int64: RoomMessage] = [:]
    private(set) var isBackfilling = false
    /// The newest seq that was heard of, and the one by the time of the last question.
    private var newest: (heard: Int64, asked: Int64) = (0, 0)
    /// The smallest seq that waited when the backfill under way was asked for.
    private var earliestAsked: Int64?

    /// Messages beyond this number are not kept early: a backfill brings them.
    private static let mostEarly = 1024

    /// The room was at `head` when its events began to arrive; later messages that arrived meanwhile follow.
    mutating func start(at head: Int64) -> [Action] {
        guard last == nil else { return [] }
        last = head
        early = early.filter { $0.key > head }
        return advance()
    }

    /// A message arrived, perhaps not for the first time.
    mutating func published(_ message: RoomMessage) -> [Action] {
        let seq = message.body.seq
        if let last, seq <= last { return [] }
        newest.heard = max(newest.heard, seq)
        if early.count < Self.mostEarly { early[seq] = message }
        return last == nil ? [] : advance()
    }

    /// The room's head is at least `head`, as chat-service reports after events may have been lost.
    mutating func compared(head: Int64) -> [Action] {
        newest.heard = max(newest.heard, head)
        guard let last, head > last, !isBackfilling else { return [] }
        return [backfill(after: last)]
    }

    /// The answer to `backfill`: the messages after the seq, in order, and the room's head.
    mutating func backfilled(_ messages: [RoomMessage], head: Int64) -> [Action] {
        isBackfilling = false
        guard let last else { return [] }
        for message in messages where message.body.seq > last { early[message.body.seq] = message }
        // Messages up to its head that an answer leaves out no longer exist, so nothing waits for them. After its head it
        // says nothing, as it may be older than messages that arrived meanwhile.
        if messages.isEmpty || messages.last?.body.seq == head, let next = early.keys.min(), next > last + 1 {
            self.last = max(last, min(next - 1, head))
        } else if messages.isEmpty, head > last, early.isEmpty {
            self.last = head
        }
        // chat-service has lost a message that arrived before the question and is unknown to the answer. Another question
        // right away would bring the same answer.
        let isUnknown = earliestAsked.map { $0 > head } ?? false
        var actions = advance(asksForMissing: !isUnknown)
        // The answer may be older than a head that was heard of meanwhile.
        let wanted = newest.heard > newest.asked ? max(head, newest.heard) : head
        if !isBackfilling, let last = self.last, wanted > last { actions.append(backfill(after: last)) }
        return actions
    }

    /// Nobody answered. The next message or comparison asks again.
    mutating func backfillFailed() { isBackfilling = false }

    private mutating func backfill(after last: Int64) -> Action {
        isBackfilling = true
        newest.asked = newest.heard
        earliestAsked = early.keys.min()
        return .backfill(after: last)
    }

    private mutating func advance(asksForMissing: Bool = true) -> [Action] {
        guard var last else { return [] }
        var actions: [Action] = []
        while let message = early.removeValue(forKey: last + 1) {
            actions.append(.deliver(message))
            last += 1
        }
        self.last = last
        if asksForMissing, !early.isEmpty, !isBackfilling { actions.append(backfill(after: last)) }
        return actions
    }
}
