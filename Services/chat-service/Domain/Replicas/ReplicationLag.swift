/// How long ago the primary had the state that a replica shows now. Sans-I/O: times are monotonic nanoseconds, given by the caller.
///
/// It compares positions that this process has seen, so it needs no clock of another machine, and a primary without writes makes
/// no lag.
struct ReplicationLag {
    /// Ends of the primary's log, each with the time at which it was first seen; both grow.
    private var ends: [(end: Int64, at: UInt64)] = []

    /// Ten minutes, if the primary is asked every second. A longer lag is shown as that.
    private static let limit = 600

    /// The primary's log ended there.
    mutating func note(_ end: Int64, at now: UInt64) {
        // Another primary may have less of the log.
        ends.removeAll { $0.end > end }
        if ends.last?.end == end { return }
        if ends.count >= Self.limit { ends.removeFirst() }
        ends.append((end, now))
    }

    /// How long a replica that has replayed the log up to `replayed` is behind, in nanoseconds.
    func lag(of replayed: Int64, at now: UInt64) -> UInt64 {
        ends.first { $0.end > replayed }.map { now - min(now, $0.at) } ?? 0
    }
}
