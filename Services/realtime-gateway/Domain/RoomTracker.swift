import Contract

/// Brings a room's messages into their order: drops what it has, waits for what is missing, and says when to ask for it.
///
/// Sans-I/O. It knows nothing before `start`, which tells how far the room was when it began to hear.
struct RoomTracker {
    /// What is to be done.
    enum Action: Equatable {
        /// The next in order.
        case deliver(RoomMessage)
        /// Some behind this seq have not been heard: ask for them, and answer with `healed` or `healingFailed`.
        case heal(after: Int64)
    }

    /// The newest seq delivered; nil before `start`.
    private(set) var last: Int64?
    private var early: [Int64: RoomMessage] = [:]
    private(set) var isHealing = false
    /// The earliest of what waited when the question under way was asked.
    private var earliestAsked: Int64?

    /// More than this ahead is not kept: healing brings it.
    private static let mostEarly = 1024

    /// The room was at `head` when hearing began; what was heard meanwhile follows.
    mutating func start(at head: Int64) -> [Action] {
        guard last == nil else { return [] }
        last = head
        early = early.filter { $0.key > head }
        return advance()
    }

    /// A message was heard; more than once is as good as once.
    mutating func heard(_ message: RoomMessage) -> [Action] {
        let seq = message.body.seq
        if let last, seq <= last { return [] }
        if early.count < Self.mostEarly { early[seq] = message }
        return last == nil ? [] : advance()
    }

    /// The room is at least at `head`, as chat-service tells after the hearing was interrupted.
    mutating func compared(head: Int64) -> [Action] {
        guard let last, head > last, !isHealing else { return [] }
        return [heal(after: last)]
    }

    /// The answer to `heal`: what was behind it, in order, and how far the room is.
    mutating func healed(_ messages: [RoomMessage], head: Int64) -> [Action] {
        isHealing = false
        guard let last else { return [] }
        for message in messages where message.body.seq > last { early[message.body.seq] = message }
        // What an answer that is not full leaves out does not exist any more: nothing waits for it. Behind its head it says
        // nothing, as it may be older than what was heard while it was under way.
        if messages.isEmpty || messages.last?.body.seq == head, let next = early.keys.min(), next > last + 1 {
            self.last = max(last, min(next - 1, head))
        } else if messages.isEmpty, head > last, early.isEmpty {
            self.last = head
        }
        // What was heard before the question and is not known to the answer was lost where it is kept: to ask again at once
        // would bring the same.
        let isUnknown = earliestAsked.map { $0 > head } ?? false
        var actions = advance(asksForMissing: !isUnknown)
        if !isHealing, let last = self.last, head > last { actions.append(heal(after: last)) }
        return actions
    }

    /// Nobody answered; asked again when something is heard, or after the next comparison.
    mutating func healingFailed() { isHealing = false }

    private mutating func heal(after last: Int64) -> Action {
        isHealing = true
        earliestAsked = early.keys.min()
        return .heal(after: last)
    }

    private mutating func advance(asksForMissing: Bool = true) -> [Action] {
        guard var last else { return [] }
        var actions: [Action] = []
        while let message = early.removeValue(forKey: last + 1) {
            actions.append(.deliver(message))
            last += 1
        }
        self.last = last
        if asksForMissing, !early.isEmpty, !isHealing { actions.append(heal(after: last)) }
        return actions
    }
}
