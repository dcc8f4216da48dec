/// A range of a room's history in seqs.
enum HistoryRange: Sendable {
    /// The oldest messages after a seq; 0 means from the start.
    case after(Int64, limit: Int?)
    /// The newest messages before a seq.
    case before(Int64, limit: Int)

    /// Whether it continues from the reader's last message towards the head.
    var readsForward: Bool { if case .after = self { true } else { false } }

    /// The messages that are meant in a room with this head: those above `after` and up to `through`.
    func part(upTo head: Int64) -> (after: Int64, through: Int64) {
        switch self {
        case .after(let seq, let limit):
            // Clamped before the addition, which would overflow for the largest seqs that a client can send.
            let first = min(seq, head)
            return (first, limit.map { min(head, first + Int64($0)) } ?? head)
        case .before(let seq, let limit):
            let last = min(seq - 1, head)
            return (max(0, last - Int64(limit)), last)
        }
    }
}
