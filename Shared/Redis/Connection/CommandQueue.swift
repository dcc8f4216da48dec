/// The commands of one connection that wait for their replies, in the order in which they were sent.
///
/// A command whose deadline passes leaves an empty place, because its reply still comes and must be matched.
struct CommandQueue<Waiter> {
    private struct Entry {
        /// Nil once it has been told.
        var waiter: Waiter?
        let sent: UInt64
        let deadline: UInt64
    }

    private var entries: [Entry] = []
    private var head = 0
    /// Commands that may wait at once.
    let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { entries.count - head }
    var isEmpty: Bool { count == 0 }
    var isFull: Bool { count >= limit }

    /// When the command longest under way was sent.
    var oldestSent: UInt64? { isEmpty ? nil : entries[head].sent }

    /// When to call `expire` next: never later than the earliest deadline.
    private(set) var nextDeadline: UInt64?

    /// Takes a command that is being sent now; times are of the loop, in nanoseconds.
    mutating func append(_ waiter: Waiter, sent: UInt64, deadline: UInt64) {
        entries.append(Entry(waiter: waiter, sent: sent, deadline: deadline))
        nextDeadline = min(deadline, nextDeadline ?? .max)
    }

    /// Whose the next reply is.
    enum Match {
        case waiter(Waiter)
        /// The command's deadline has passed.
        case nobody
        /// Nothing was asked.
        case unexpected
    }

    /// Takes out the command that a reply has come for.
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
        return waiter.map(Match.waiter) ?? .nobody
    }

    /// Takes out the waiters whose time is over; their places stay.
    mutating func expire(now: UInt64) -> [Waiter] {
        var expired: [Waiter] = []
        nextDeadline = nil
        for place in head..<entries.count {
            guard let waiter = entries[place].waiter else { continue }
            if entries[place].deadline <= now {
                expired.append(waiter)
                entries[place].waiter = nil
            } else {
                nextDeadline = min(entries[place].deadline, nextDeadline ?? .max)
            }
        }
        return expired
    }

    /// Takes out all; the connection is gone.
    mutating func removeAll() -> [Waiter] {
        let waiters = entries[head...].compactMap(\.waiter)
        entries = []
        head = 0
        nextDeadline = nil
        return waiters
    }
}
