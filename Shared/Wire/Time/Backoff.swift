/// How long to wait before the next attempt: doubling, with jitter, so that many who lost the same server do not return
/// to it at the same moment.
public struct Backoff: Sendable {
    /// The longest first wait.
    public let first: Duration
    /// The longest of all waits.
    public let limit: Duration
    /// Attempts that have failed in a row.
    public private(set) var failures = 0
    private var lastWait = Duration.zero

    /// Waits at most `first` after the first failure, twice that after the second, and never longer than `limit`.
    public init(first: Duration = .milliseconds(50), limit: Duration = .seconds(2)) {
        self.first = first
        self.limit = limit
    }

    /// The wait after one more failure: a random time between half of the step and all of it.
    public mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return next(using: &generator)
    }

    /// The wait after one more failure, with a given source of randomness.
    public mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        // 2^20 times the first step exceeds every sensible limit.
        let step = min(limit, first * (1 << min(failures, 20)))
        failures += 1
        lastWait = step * Double.random(in: 0.5...1, using: &generator)
        return lastWait
    }

    /// Begins anew after a success.
    public mutating func reset() { failures = 0 }

    /// Begins anew after a success that has lasted for `time`. One that ended before the wait for it was made up for was
    /// none: a server can let everybody in and show them out at once.
    public mutating func reset(after time: Duration) {
        if time >= lastWait { reset() }
    }
}
