/// A token bucket: admits `burst` calls at once and then `rate` calls per second.
public struct TokenBucket: Sendable {
    private let perNanosecond: Double
    private let burst: Double
    private var tokens: Double
    private var last: UInt64

    /// A full bucket at `now`, in monotonic nanoseconds. Rate and burst are above zero.
    public init(rate: Double, burst: Double, now: UInt64) {
        precondition(rate > 0 && burst > 0, "a bucket needs a rate and a burst above zero")
        perNanosecond = rate / 1e9
        self.burst = burst
        tokens = burst
        last = now
    }

    /// Takes a token.
    ///
    /// - Returns: nil if there was a token, else the time until there is one.
    public mutating func take(now: UInt64) -> Duration? {
        refill(now)
        if tokens >= 1 {
            tokens -= 1
            return nil
        }
        return .nanoseconds(Int64(((1 - tokens) / perNanosecond).rounded(.up)))
    }

    /// Puts a token back.
    mutating func giveBack() { tokens = min(burst, tokens + 1) }

    /// Lowers the number of tokens to those left in the shared bucket, minus the `taken` tokens that were taken here since
    /// the last report. The result is negative if other instances have taken more than there was.
    mutating func settle(shared left: Double, taken: Int, now: UInt64) {
        refill(now)
        tokens = min(tokens, left - Double(taken))
    }

    /// Whether the bucket is full at `now`, so that it can be removed.
    public mutating func isFull(now: UInt64) -> Bool {
        refill(now)
        return tokens >= burst
    }

    private mutating func refill(_ now: UInt64) {
        guard now > last else { return }
        tokens = min(burst, tokens + Double(now - last) * perNanosecond)
        last = now
    }
}
