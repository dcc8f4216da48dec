/// How long a body may go on: a grace at first, and more with every byte, but never longer than the grace without one.
///
/// So a body that drips in is cut off, however often it drips, and a stalled one after the grace.
/// Time in which the reader holds the sender back does not count. All times are nanoseconds.
struct BodyClock {
    /// When the body is cut off.
    private(set) var deadline: UInt64
    private let grace: UInt64
    private let nanosecondsPerByte: UInt64
    private var heldSince: UInt64?

    /// Starts the time at `now`; `rate` is in bytes a second.
    init(now: UInt64, grace: UInt64, rate: Int) {
        deadline = now + grace
        self.grace = grace
        nanosecondsPerByte = 1_000_000_000 / UInt64(max(1, rate))
    }

    /// Prolongs the time by what `count` bytes are worth.
    mutating func received(_ count: Int, now: UInt64) {
        deadline = min(deadline + UInt64(count) * nanosecondsPerByte, now + grace)
    }

    /// Stops the time while the reader takes nothing.
    mutating func hold(now: UInt64) { if heldSince == nil { heldSince = now } }

    /// Goes on.
    mutating func release(now: UInt64) {
        guard let since = heldSince else { return }
        deadline += now - since
        heldSince = nil
    }

    /// Whether the body is to be cut off.
    func isOver(now: UInt64) -> Bool { heldSince == nil && now >= deadline }

    /// When to look again.
    var nextLook: UInt64 { heldSince == nil ? deadline : .max }
}
