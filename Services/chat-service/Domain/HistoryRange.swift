/// A part of a room's history.
enum HistoryRange: Sendable {
    /// Everything after a message, by its place; from the start at 0.
    case after(Int64, limit: Int?)
    /// The newest before a place.
    case before(Int64, limit: Int)

    /// Whether it goes on from where a reader is, towards what is newest.
    var readsForward: Bool { if case .after = self { true } else { false } }

    /// The seqs that it means in a room whose newest is `head`: those above `after` and up to `through`.
    func part(upTo head: Int64) -> (after: Int64, through: Int64) {
        switch self {
        case .after(let seq, let limit):
            // Compared before it is added to: it may be any number.
            let first = min(seq, head)
            return (first, limit.map { min(head, first + Int64($0)) } ?? head)
        case .before(let seq, let limit):
            let last = min(seq - 1, head)
            return (max(0, last - Int64(limit)), last)
        }
    }
}
