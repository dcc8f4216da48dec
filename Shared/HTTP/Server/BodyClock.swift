/// The time limit of a body: a grace period that every received byte extends, up to one grace period from now.
///
/// So a body that drips in is cut off even if no pause is long, and a stalled body after the grace period.
/// The clock stops while the reader holds the sender back. All times are nanoseconds.
struct BodyClock {
    /// When the body is cut off.
    private(set) var deadline: UInt64
    private let grace: UInt64
    private let nanosecondsPerByte: UInt64
    private var heldSince: UInt64?

    /// Starts the time limit at `now`; `rate` is in bytes a second.
    init(now: UInt64, grace: UInt64, rate: Int) {
        deadline = now + grace
        self.grace = grace
        nanosecondsPerByte = 1_000_000_000 / UInt64(max(1, rate))
    }

    /// Extends the time limit for `count` received bytes.
    mutating func received(_ count: Int, now: UInt64) {
        deadline = min(deadline + UInt64(count) * nanosecondsPerByte, now + grace)
    }

    /// Stops the clock while the reader takes nothing.
    mutating func hold(now: UInt64) { if heldSince == nil { heldSince = now } }

    /// Starts the clock again.
    mutating func release(now: UInt64) {
        guard let since = heldSince else { return }
        deadline += now - since
        heldSince = nil
    }

    /// Whether the body is to be cut off.
    func isOver(now: UInt64) -> Bool { heldSince == nil && now >= deadline }

    /// When to call `isOver` again.
    var nextCheck: UInt64 { heldSince == nil ? deadline : .max }
}
