public import EventLoop

/// The age up to which entries of a cache are fresh.
public enum CacheAge {
    /// The time from which on entries are fresh, in monotonic nanoseconds. The clock begins with the start of the machine, so
    /// the time is zero while the machine is younger than the lifetime of an entry.
    public static func oldest(_ lifetime: UInt64, at now: UInt64 = EventLoop.preciseNow) -> UInt64 {
        now - min(now, lifetime)
    }
}
