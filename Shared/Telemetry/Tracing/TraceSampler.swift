/// Decides which calls are traced: a share of all trace ids, and the calls that ask for it.
///
/// The trace id decides on the share, so that all services choose the same traces. A caller may choose its trace id, so it may
/// begin only so many traces a second, with or without the flag.
struct TraceSampler {
    private let threshold: UInt64
    private let limit: Int
    private var second: UInt64 = 0
    private var admitted = 0

    /// Seven bytes: W3C Trace Context level 2 makes them the random ones.
    private static let randomBits: UInt64 = 1 << 56

    /// - Parameters:
    ///   - rate: the share of traces, from 0 to 1.
    ///   - limit: how many traces a second callers may begin.
    init(rate: Double, limit: Int) {
        threshold = UInt64(max(0, min(rate, 1)) * Double(Self.randomBits))
        self.limit = limit
    }

    /// Whether the trace belongs to the share.
    func chooses(_ id: TraceContext.TraceID) -> Bool { id.low & (Self.randomBits - 1) < threshold }

    /// Whether a caller may begin one more trace in this second.
    mutating func admit(at now: UInt64) -> Bool {
        let second = now / 1_000_000_000
        if second != self.second { (self.second, admitted) = (second, 0) }
        guard admitted < limit else { return false }
        admitted += 1
        return true
    }
}
