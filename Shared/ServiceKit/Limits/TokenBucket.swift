/// Lets `burst` calls through at once and `rate` a second after that.
public struct TokenBucket: Sendable {
    private let perNanosecond: Double
    private let burst: Double
    private var tokens: Double
    private var last: UInt64

    /// A full bucket at `now`, in monotonic nanoseconds; its rate is above zero, as is its burst.
    public init(rate: Double, burst: Double, now: UInt64) {
        precondition(rate > 0 && burst > 0, "a bucket that stays empty tells nobody when to come back")
        perNanosecond = rate / 1e9
        self.burst = burst
        tokens = burst
        last = now
    }

    /// Takes a token; where there is none, tells how long until there is one.
    public mutating func take(now: UInt64) -> Duration? {
        refill(now)
        if tokens >= 1 {
            tokens -= 1
            return nil
        }
        return .nanoseconds(Int64(((1 - tokens) / perNanosecond).rounded(.up)))
    }

    /// Takes over what a bucket shared with others has left, where that is less; `taken` tokens were taken here since
    /// it was told of any. Others may have taken more than there was: then this one owes tokens.
    mutating func settle(shared left: Double, taken: Int, now: UInt64) {
        refill(now)
        tokens = min(tokens, left - Double(taken))
    }

    /// Whether the bucket has nothing to remember at `now`.
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
