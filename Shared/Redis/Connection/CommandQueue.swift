/// The commands of one connection that wait for their replies, in the order in which they were sent.
///
/// An expired command keeps its entry, because its reply still arrives and must be matched to it.
struct CommandQueue<Waiter> {
    private struct Entry {
        /// nil once the deadline has passed.
        var waiter: Waiter?
        let sent: UInt64
        let deadline: UInt64
    }

    private var entries: [Entry] = []
    private var head = 0
    /// The greatest number of waiting commands.
    let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { entries.count - head }
    var isEmpty: Bool { count == 0 }
    var isFull: Bool { count >= limit }

    /// The time at which the oldest waiting command was sent.
    var oldestSent: UInt64? { isEmpty ? nil : entries[head].sent }

    /// The time to call `expire` next: never later than the earliest deadline.
    private(set) var nextDeadline: UInt64?

    /// Adds a command that is being sent now; times are the loop's, in nanoseconds.
    mutating func append(_ waiter: Waiter, sent: UInt64, deadline: UInt64) {
        entries.append(Entry(waiter: waiter, sent: sent, deadline: deadline))
        nextDeadline = min(deadline, nextDeadline ?? .max)
    }

    /// The command to which a reply belongs.
    enum Match {
        case waiter(Waiter)
        /// The command's deadline has passed.
        case expired
        /// No command waits for a reply.
        case unexpected
    }

    /// Removes the command to which the next reply belongs.
    mutating func takeFirst() -> Match {
        guard !isEmpty else { return .unexpected }
        let waiter = entries[head].waiter
        entries[head].waiter = nil
        head += 1
        if head == entries.count {
            entries.removeAll(keepingCapacity: entries.count <= 1024)
            head = 0
        } else if head >= 1024 && head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
        return waiter.map(Match.waiter) ?? .expired
    }

    /// Removes the waiters of expired commands; their entries stay.
    mutating func expire(now: UInt64) -> [Waiter] {
        var expired: [Waiter] = []
        nextDeadline = nil
        for index in head..<entries.count {
            guard let waiter = entries[index].waiter else { continue }
            if entries[index].deadline <= now {
                expired.append(waiter)
                entries[index].waiter = nil
            } else {
                nextDeadline = min(entries[index].deadline, nextDeadline ?? .max)
            }
        }
        return expired
    }

    /// Removes all waiters, after the connection was lost.
    mutating func removeAll() -> [Waiter] {
        let waiters = entries[head...].compactMap(\.waiter)
        entries = []
        head = 0
        nextDeadline = nil
        return waiters
    }
}
