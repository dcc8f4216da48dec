import EventLoop

/// Delays the joins of an address after its free ones: the wait since the last join doubles from a second up to a limit. Times are
/// monotonic nanoseconds.
///
/// The table has at most `capacity` addresses. If it is full, new addresses share one count: memory stays bounded, and
/// filling the table gains an attacker nothing.
struct JoinBackoff: Sendable {
    struct Limits: Sendable {
        /// Joins without a wait.
        let free: Int
        /// The longest wait.
        let wait: Duration
        /// The joins of an address are forgotten this long after the last one.
        let memory: Duration
    }

    private struct Entry: Sendable {
        var joins = 0
        var last: UInt64 = 0
    }

    private let limits: Limits
    private let capacity: Int
    private var entries: [String: Entry] = [:]
    private var overflow = Entry()
    /// A full table is swept no earlier, so that a flood of new addresses does not cost a sweep each.
    private var nextSweep: UInt64 = 0

    /// 2³⁰ seconds exceed every sensible limit.
    private static let mostDoublings = 30
    /// Sweeps of a full table while the memory of an address lasts.
    private static let sweeps: UInt64 = 16

    init(_ limits: Limits, capacity: Int = 1 << 16) {
        self.limits = limits
        self.capacity = capacity
    }

    /// Counts a join of `address`, unless it must wait.
    ///
    /// - Returns: nil if the join was counted, else the time until it may be tried again.
    mutating func take(_ address: String, now: UInt64) -> Duration? {
        if entries[address] == nil, entries.count >= capacity { sweep(now) }
        guard entries[address] != nil || entries.count < capacity else { return take(&overflow, now) }
        return take(&entries[address, default: Entry()], now)
    }

    var count: Int { entries.count }

    private func take(_ entry: inout Entry, _ now: UInt64) -> Duration? {
        if isForgotten(entry, now) { entry = Entry() }
        if let wait = wait(of: entry, now) { return wait }
        entry.joins += 1
        entry.last = now
        return nil
    }

    private func wait(of entry: Entry, _ now: UInt64) -> Duration? {
        guard entry.joins >= limits.free else { return nil }
        let wait = min(limits.wait, .seconds(1 << min(entry.joins - limits.free, Self.mostDoublings)))
        let age = Duration.nanoseconds(Int64(now - min(now, entry.last)))
        return age < wait ? wait - age : nil
    }

    private func isForgotten(_ entry: Entry, _ now: UInt64) -> Bool {
        now >= entry.last + limits.memory.wholeNanoseconds
    }

    private mutating func sweep(_ now: UInt64) {
        guard now >= nextSweep else { return }
        entries = entries.filter { !isForgotten($0.value, now) }
        nextSweep = now + limits.memory.wholeNanoseconds / Self.sweeps
    }
}
