import EventLoop

/// How often something went wrong of late, a key; there are never more than `capacity` keys.
///
/// When the table is full, new keys share one count: memory stays bounded, and nobody who fills it gets in free.
struct FailureTable<Key: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        var failures = 0
        /// Monotonic nanoseconds.
        var last: UInt64 = 0

        func isPast(_ now: UInt64) -> Bool { now >= last + FailureTable.memory }

        mutating func add(_ now: UInt64) {
            failures = isPast(now) ? 1 : failures + 1
            last = now
        }
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var overflow = Entry()
    private var sweepAt = 64

    private static var memory: UInt64 { FailureRecord.memory.wholeNanoseconds }

    init(capacity: Int) { self.capacity = capacity }

    /// What went wrong of `key` of late; nil where nothing did.
    func record(of key: Key, now: UInt64) -> FailureRecord? {
        let entry = entries[key] ?? (entries.count < capacity ? Entry() : overflow)
        guard entry.failures > 0, !entry.isPast(now) else { return nil }
        return FailureRecord(failures: entry.failures, age: .nanoseconds(Int64(now - min(now, entry.last))))
    }

    /// Counts a failure of `key`.
    mutating func add(_ key: Key, now: UInt64) {
        if entries[key] == nil {
            if entries.count >= sweepAt { sweep(now) }
            guard entries.count < capacity else { return overflow.add(now) }
        }
        entries[key, default: Entry()].add(now)
    }

    mutating func forget(_ key: Key) { entries[key] = nil }

    /// Forgets what is long past; the next sweep comes when the table has doubled.
    private mutating func sweep(_ now: UInt64) {
        entries = entries.filter { !$0.value.isPast(now) }
        sweepAt = max(64, min(capacity, entries.count * 2))
    }

    var count: Int { entries.count }
}
