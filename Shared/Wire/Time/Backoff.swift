/// The wait before the next attempt: doubling, with jitter, so that clients that lost the same server do not all return
/// at the same moment.
public struct Backoff: Sendable {
    /// The longest first wait.
    public let first: Duration
    /// The longest wait of all.
    public let limit: Duration
    /// The number of consecutive failures.
    public private(set) var failures = 0
    private var lastWait = Duration.zero

    /// Waits at most `first` after the first failure, twice that after the second, and never longer than `limit`.
    public init(first: Duration = .milliseconds(50), limit: Duration = .seconds(2)) {
        self.first = first
        self.limit = limit
    }

    /// The wait after one more failure: a random time between half of the step and the whole step.
    public mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return next(using: &generator)
    }

    /// The wait after one more failure, with the given source of randomness.
    public mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        // 2^20 times the first step exceeds every sensible limit.
        let step = min(limit, first * (1 << min(failures, 20)))
        failures += 1
        lastWait = step * Double.random(in: 0.5...1, using: &generator)
        return lastWait
    }

    /// Starts again after a success.
    public mutating func reset() { failures = 0 }

    /// Starts again after a success that lasted for `time`. A success shorter than the wait before it does not count: a
    /// failing server may accept connections and close them at once.
    public mutating func reset(after time: Duration) {
        if time >= lastWait { reset() }
    }
}
