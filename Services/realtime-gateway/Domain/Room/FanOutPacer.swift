import EventLoop

/// Paces the broadcasts of a full room. A message to thousands of sockets takes milliseconds, nearly all of them for one
/// write a socket. If more messages come meanwhile, they are held as long as that took, and leave together in one write a
/// socket. So a busy room takes half of its loop's time at most.
///
/// Pauses in which no message arrives become ever rarer, for example when two users answer each other.
struct FanOutPacer {
    /// Rooms with fewer sockets are not paced.
    static let crowd = 256
    private static let shortest = Duration.milliseconds(2)
    private static let longest = Duration.milliseconds(50)
    private static let mostSkipped = 16

    private(set) var isPausing = false
    /// When the first broadcast of this turn of the loop began.
    private var began: UInt64?
    /// Turns that go without a pause, and how many there were the last time.
    private var skips = 0
    private var lastSkips = 0

    /// A broadcast begins. Returns whether it is the turn's first: then `finish` is to be called at the turn's end.
    mutating func begin(now: UInt64) -> Bool {
        guard began == nil else { return false }
        began = now
        return true
    }

    /// All sockets have been written to. Returns how long to pause before `resume` is to be called; nil for no pause.
    mutating func finish(now: UInt64) -> Duration? {
        guard let began else { return nil }
        self.began = nil
        guard skips == 0 else {
            skips -= 1
            return nil
        }
        let work = Duration.nanoseconds(Int64(now - began))
        guard work >= Self.shortest else { return nil }
        isPausing = true
        return min(work, Self.longest)
    }

    /// The pause is over, and so many messages have come in it.
    mutating func resume(gathered: Int) {
        isPausing = false
        // One message alone has waited for nothing.
        if gathered == 1 {
            lastSkips = min(max(1, 2 * lastSkips), Self.mostSkipped)
            skips = lastSkips
        } else if gathered > 1 {
            lastSkips = 0
        }
    }
}
