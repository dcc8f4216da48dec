import Wire

/// Removals and the closing of a room, each after the message with a given seq.
struct OrderPoints {
    private var removals: [(after: Int64, user: UserID)] = []
    private var closing: Int64?

    mutating func remove(_ user: UserID, after seq: Int64) { removals.append((seq, user)) }

    mutating func close(after seq: Int64) { closing = seq }

    /// Takes the removals before the message `next`, and whether the room is closed before it.
    mutating func take(before next: Int64) -> (removed: [UserID], isClosed: Bool) {
        if removals.isEmpty && closing == nil { return ([], false) }
        let removed = removals.filter { $0.after < next }.map(\.user)
        removals.removeAll { $0.after < next }
        return (removed, closing.map { $0 < next } ?? false)
    }
}
