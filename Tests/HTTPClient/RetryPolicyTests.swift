import HTTP
import Testing
import Wire

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy(maximumAttempts: 4, firstWait: .milliseconds(100), longestWait: .seconds(1))

    @Test("The wait is random up to a step that doubles, up to the longest wait")
    func fullJitter() {
        var generator = Fixed(value: .max)
        for (attempt, step) in [(1, 100), (2, 200), (3, 400)] {
            #expect(waits(after: attempt, using: &generator).map { $0 > .milliseconds(step - 1) } == true)
            #expect(waits(after: attempt, using: &generator).map { $0 <= .milliseconds(step) } == true)
        }
        let patient = RetryPolicy(maximumAttempts: 100, firstWait: .milliseconds(100), longestWait: .seconds(1))
        let late = patient.decide(
            after: unavailable, attempt: 90, isIdempotent: true, remaining: .seconds(60), using: &generator)
        guard case .retry(let wait) = late else { return #expect(Bool(false), "no retry") }
        #expect(wait > .milliseconds(999) && wait <= .seconds(1))
        var low = Fixed(value: 0)
        #expect(waits(after: 3, using: &low) == .zero)
    }

    @Test("After the last attempt the outcome is accepted")
    func attempts() {
        var generator = Fixed(value: 0)
        #expect(waits(after: 3, using: &generator) != nil)
        #expect(waits(after: 4, using: &generator) == nil)
    }

    @Test("Only a server that is down or overloaded is asked again", arguments: 200...599)
    func statuses(code: Int) {
        let outcome = RetryPolicy.Outcome.replied(Status(UInt16(code)), retryAfter: nil)
        #expect(isRetried(outcome) == [429, 502, 503, 504].contains(code))
    }

    @Test("A request that is not idempotent is sent again only if it was never sent")
    func notIdempotent() {
        for kind in [HTTPClient.Failure.Kind.unreachable, .connectionLost, .deadlineExceeded, .malformedReply] {
            #expect(isRetried(.failed(kind, mayHaveBeenProcessed: true)))
            #expect(isRetried(.failed(kind, mayHaveBeenProcessed: false), isIdempotent: false))
            #expect(!isRetried(.failed(kind, mayHaveBeenProcessed: true), isIdempotent: false))
        }
        #expect(!isRetried(unavailable, isIdempotent: false))
    }

    @Test("A permanent failure is not retried")
    func hopeless() {
        let kinds: [HTTPClient.Failure.Kind] = [
            .invalidRequest, .overloaded, .untrusted, .replyTooLarge, .redirected, .cancelled, .closed,
        ]
        for kind in kinds { #expect(!isRetried(.failed(kind, mayHaveBeenProcessed: false))) }
    }

    @Test("Retry-After is respected, unless it is longer than the longest wait or the remaining time")
    func retryAfter() {
        var generator = Fixed(value: 0)
        func decide(_ asked: Duration, remaining: Duration = .seconds(60)) -> RetryPolicy.Decision {
            policy.decide(
                after: .replied(.tooManyRequests, retryAfter: asked), attempt: 1, isIdempotent: true,
                remaining: remaining, using: &generator)
        }
        #expect(decide(.milliseconds(700)) == .retry(after: .milliseconds(700)))
        #expect(decide(.seconds(1)) == .retry(after: .seconds(1)))
        #expect(decide(.seconds(2)) == .accept)
        #expect(decide(.milliseconds(700), remaining: .milliseconds(700)) == .accept)
    }

    @Test("No wait is longer than the time to the deadline")
    func deadline() {
        var generator = Fixed(value: .max)
        let decision = policy.decide(
            after: unavailable, attempt: 3, isIdempotent: true, remaining: .milliseconds(300), using: &generator)
        #expect(decision == .accept)
    }

    private let unavailable = RetryPolicy.Outcome.replied(.serviceUnavailable, retryAfter: nil)

    private func waits(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration? {
        let decision = policy.decide(
            after: unavailable, attempt: attempt, isIdempotent: true, remaining: .seconds(60), using: &generator)
        guard case .retry(let wait) = decision else { return nil }
        return wait
    }

    private func isRetried(_ outcome: RetryPolicy.Outcome, isIdempotent: Bool = true) -> Bool {
        var generator = Fixed(value: 0)
        return policy.decide(
            after: outcome, attempt: 1, isIdempotent: isIdempotent, remaining: .seconds(60), using: &generator)
            != .accept
    }
}

/// A random number generator that always returns the same number.
private struct Fixed: RandomNumberGenerator {
    let value: UInt64

    mutating func next() -> UInt64 { value }
}
