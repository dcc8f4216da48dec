import EventLoop

/// Counts recent failures by key, for at most `capacity` keys.
///
/// When the table is full, new keys share one count: memory stays bounded, and filling the table gains an attacker
/// nothing.
struct FailureTable<Key: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        var failures = 0
        /// Monotonic nanoseconds.
        var last: UInt64 = 0

        func isExpired(_ now: UInt64) -> Bool { now >= last + FailureTable.retention }

        mutating func add(_ now: UInt64) {
            failures = isExpired(now) ? 1 : failures + 1
            last = now
        }
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var overflow = Entry()
    private var sweepAt = 64
    /// A full table is swept no earlier, so that a flood of new keys does not cost a sweep each.
    private var nextSweep: UInt64 = 0

    private static var retention: UInt64 { FailureRecord.retention.wholeNanoseconds }

    init(capacity: Int) { self.capacity = capacity }

    /// Returns the recent failures of `key`, or nil if there are none.
    func record(of key: Key, now: UInt64) -> FailureRecord? {
        let entry = entries[key] ?? (entries.count < capacity ? Entry() : overflow)
        guard entry.failures > 0, !entry.isExpired(now) else { return nil }
        return FailureRecord(failures: entry.failures, age: .nanoseconds(Int64(now - min(now, entry.last))))
    }

    /// Counts a failure of `key`.
    mutating func add(_ key: Key, now: UInt64) {
        if entries[key] == nil {
            if entries.count >= sweepAt, entries.count < capacity || now >= nextSweep { sweep(now) }
            guard entries.count < capacity else { return overflow.add(now) }
        }
        entries[key, default: Entry()].add(now)
    }

    /// Removes the failures of `key`.
    mutating func remove(_ key: Key) { entries[key] = nil }

    /// Removes expired entries. The next sweep runs when the table has doubled.
    private mutating func sweep(_ now: UInt64) {
        entries = entries.filter { !$0.value.isExpired(now) }
        sweepAt = max(64, min(capacity, entries.count * 2))
        nextSweep = now + Self.retention / 16
    }

    var count: Int { entries.count }
}
