import EventLoop

/// When a full room rests: a message to thousands of sockets takes milliseconds, nearly all of them for one write a socket.
/// A room in which more is said meanwhile rests as long as that took, and what has come by then leaves together, in one
/// write a socket for all of it. So a busy room takes half of its loop's time at most, however much is said in it.
///
/// Where rests gather nothing, as between people who answer each other, they are tried ever less often.
struct Rest {
    /// In rooms of fewer sockets messages do not wait for each other.
    static let crowd = 256
    private static let shortest = Duration.milliseconds(2)
    private static let longest = Duration.milliseconds(50)
    private static let mostSkipped = 16

    private(set) var isUnderWay = false
    /// When the first message of this turn of the loop began to be sent.
    private var began: UInt64?
    /// Turns that go without a rest, and how many there were the last time.
    private var skips = 0
    private var lastSkips = 0

    /// A message is about to be sent. Says whether it is the turn's first: then `sent` is to be called at the turn's end.
    mutating func sends(now: UInt64) -> Bool {
        guard began == nil else { return false }
        began = now
        return true
    }

    /// All sockets have been written to; returns how long to rest before `end` is to be called, nil for no rest.
    mutating func sent(now: UInt64) -> Duration? {
        guard let began else { return nil }
        self.began = nil
        guard skips == 0 else {
            skips -= 1
            return nil
        }
        let work = Duration.nanoseconds(Int64(now - began))
        guard work >= Self.shortest else { return nil }
        isUnderWay = true
        return min(work, Self.longest)
    }

    /// The rest is over, and so many messages have come in it.
    mutating func end(gathered: Int) {
        isUnderWay = false
        // One that has waited alone has waited for nothing.
        if gathered == 1 {
            lastSkips = min(max(1, 2 * lastSkips), Self.mostSkipped)
            skips = lastSkips
        } else if gathered > 1 {
            lastSkips = 0
        }
    }
}
