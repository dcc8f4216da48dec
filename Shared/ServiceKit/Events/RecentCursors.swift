/// The parts of cursors that were written in the last minute and that no open socket stands for: their writer writes them again for a
/// Redis that may have lost them. Sans-I/O: times are monotonic nanoseconds.
///
/// A session that comes back later begins at the present if Redis has lost its cursor: its next history call has the messages.
public struct RecentCursors: Sendable {
    private var entries: [(known: SessionCursors.Known, time: UInt64)] = []
    private let limit: Int

    private static let lifetime: UInt64 = 60_000_000_000

    /// - Parameter limit: beyond this number the older half is forgotten. An entry takes about 100 bytes.
    public init(limit: Int = 50_000) { self.limit = limit }

    public mutating func note(_ known: SessionCursors.Known, at now: UInt64) {
        if entries.count >= limit {
            forgetOld(at: now)
            if entries.count >= limit { entries.removeFirst(limit / 2) }
        }
        entries.append((known, now))
    }

    /// The entries of the last minute, in their order.
    public mutating func all(at now: UInt64) -> [SessionCursors.Known] {
        forgetOld(at: now)
        return entries.map(\.known)
    }

    private mutating func forgetOld(at now: UInt64) {
        let oldest = now - min(now, Self.lifetime)
        entries.removeFirst(entries.prefix { $0.time < oldest }.count)
    }
}
