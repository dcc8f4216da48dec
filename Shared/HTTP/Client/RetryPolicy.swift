public import Wire

/// When to send a request again, and after how long: waits double, with full jitter,
/// and a server's `Retry-After` is kept.
///
/// It decides only; whoever sends asks it after every attempt.
public struct RetryPolicy: Sendable {
    /// What came of an attempt.
    public enum Outcome: Sendable {
        /// - Parameter retryAfter: the field of that name, if the reply has it.
        case replied(Status, retryAfter: Duration?)
        case failed(HTTPClient.Failure.Kind, mayHaveBeenProcessed: Bool)
    }

    /// What to do next.
    public enum Decision: Hashable, Sendable {
        /// Wait, then try again.
        case retry(after: Duration)
        /// Take what came.
        case accept
    }

    /// Attempts in all, the first included.
    public var maximumAttempts: Int
    /// The longest wait after the first attempt; it doubles with every further one.
    public var firstWait: Duration
    /// The longest of all waits, those that a server asks for included: who must wait longer gives up.
    public var longestWait: Duration
    /// Time for one attempt, so that a reply that never comes leaves time for another; the request's deadline without.
    public var attemptDeadline: Duration?

    public init(
        maximumAttempts: Int, firstWait: Duration = .milliseconds(100), longestWait: Duration = .seconds(5),
        attemptDeadline: Duration? = nil
    ) {
        self.maximumAttempts = maximumAttempts
        self.firstWait = firstWait
        self.longestWait = longestWait
        self.attemptDeadline = attemptDeadline
    }

    /// Decides after an attempt.
    ///
    /// - Parameters:
    ///   - attempt: 1 for the first.
    ///   - isIdempotent: whether doing it twice is as good as once. Where it is not,
    ///     only what was never sent is sent again.
    ///   - remaining: until the request's deadline; no wait reaches beyond it.
    public func decide(
        after outcome: Outcome, attempt: Int, isIdempotent: Bool, remaining: Duration
    ) -> Decision {
        var generator = SystemRandomNumberGenerator()
        return decide(
            after: outcome, attempt: attempt, isIdempotent: isIdempotent, remaining: remaining, using: &generator)
    }

    /// Decides with a given source of randomness.
    public func decide(
        after outcome: Outcome, attempt: Int, isIdempotent: Bool, remaining: Duration,
        using generator: inout some RandomNumberGenerator
    ) -> Decision {
        guard attempt < maximumAttempts, Self.mayPass(outcome, isIdempotent: isIdempotent) else { return .accept }
        // 2^20 times the first wait exceeds every sensible limit.
        let step = min(longestWait, firstWait * (1 << min(attempt - 1, 20)))
        var wait = step * Double.random(in: 0..<1, using: &generator)
        if case .replied(_, let asked?) = outcome { wait = max(wait, asked) }
        guard wait <= longestWait, wait < remaining else { return .accept }
        return .retry(after: wait)
    }

    /// Whether another attempt may fare better and does no harm.
    private static func mayPass(_ outcome: Outcome, isIdempotent: Bool) -> Bool {
        switch outcome {
        case .replied(let status, _):
            return isIdempotent && [429, 502, 503, 504].contains(status.code)
        case .failed(let kind, let mayHaveBeenProcessed):
            guard isIdempotent || !mayHaveBeenProcessed else { return false }
            switch kind {
            case .unreachable, .connectionLost, .deadlineExceeded, .malformedReply: return true
            case .invalidRequest, .overloaded, .untrusted, .replyTooLarge, .redirected, .cancelled, .closed:
                return false
            }
        }
    }
}

extension HTTPClient.Reply {
    /// How long the server asks to stay away: seconds, or the time until a date.
    public func retryAfter(now: Timestamp) -> Duration? {
        guard let value = headers[.retryAfter] else { return nil }
        if let seconds = UInt32(value) { return .seconds(Int64(seconds)) }
        guard let moment = Timestamp(httpDate: Array(value.utf8)) else { return nil }
        return max(.zero, moment - now)
    }
}
