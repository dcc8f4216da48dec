public import Wire

/// Decides when to send a request again: waits double, with full jitter, and a server's `Retry-After` is respected. The
/// sender asks it after every attempt.
public struct RetryPolicy: Sendable {
    /// The outcome of an attempt.
    public enum Outcome: Sendable {
        /// - Parameter retryAfter: the field of that name, if the reply has it.
        case replied(Status, retryAfter: Duration?)
        case failed(HTTPClient.Failure.Kind, mayHaveBeenProcessed: Bool)
    }

    /// The decision after an attempt.
    public enum Decision: Hashable, Sendable {
        /// Wait, then try again.
        case retry(after: Duration)
        /// Accept the outcome.
        case accept
    }

    /// The number of attempts, with the first one.
    public var maximumAttempts: Int
    /// The longest wait after the first attempt; it doubles with every further attempt.
    public var firstWait: Duration
    /// The longest wait of all; if a server asks for a longer one, the policy gives up.
    public var longestWait: Duration
    /// The time-out of one attempt, which leaves time for another if a reply never arrives; nil for the request's
    /// deadline.
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
    ///   - isIdempotent: whether the request may be repeated. If not, only a request that was never sent is sent again.
    ///   - remaining: the time until the request's deadline; no wait is longer.
    public func decide(
        after outcome: Outcome, attempt: Int, isIdempotent: Bool, remaining: Duration
    ) -> Decision {
        var generator = SystemRandomNumberGenerator()
        return decide(
            after: outcome, attempt: attempt, isIdempotent: isIdempotent, remaining: remaining, using: &generator)
    }

    /// Decides with a given random number generator.
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

    /// Whether another attempt may succeed and does no harm.
    private static func mayPass(_ outcome: Outcome, isIdempotent: Bool) -> Bool {
        switch outcome {
        case .replied(let status, _):
            return isIdempotent && [429, 502, 503, 504].contains(status.code)
        case .failed(let kind, let mayHaveBeenProcessed):
            guard isIdempotent || !mayHaveBeenProcessed else { return false }
            switch kind {
            case .unreachable, .connectionLost, .deadlineExceeded, .malformedReply: return true
            case .invalidRequest, .overloaded, .forbidden, .untrusted, .replyTooLarge, .redirected, .cancelled, .closed:
                return false
            }
        }
    }
}

extension HTTPClient.Reply {
    /// How long the server asks to wait: seconds, or the time until a date.
    public func retryAfter(now: Timestamp) -> Duration? {
        guard let value = headers[.retryAfter] else { return nil }
        if let seconds = UInt32(value) { return .seconds(Int64(seconds)) }
        guard let moment = Timestamp(httpDate: Array(value.utf8)) else { return nil }
        return max(.zero, moment - now)
    }
}
