import Testing
import Wire

@Suite struct BackoffTests {
    @Test("Each wait is between half of its step and the whole step, and steps double up to the limit")
    func doubling() {
        var backoff = Backoff(first: .milliseconds(50), limit: .milliseconds(300))
        for step in [50, 100, 200, 300, 300] {
            let wait = backoff.next()
            #expect(wait >= .milliseconds(step) / 2 && wait <= .milliseconds(step))
        }
    }

    @Test("After a success the waits start again, and a thousand failures do not overflow")
    func reset() {
        var backoff = Backoff(first: .milliseconds(50), limit: .seconds(2))
        for _ in 0..<1000 { #expect(backoff.next() <= .seconds(2)) }
        #expect(backoff.failures == 1000)
        backoff.reset()
        #expect(backoff.next() <= .milliseconds(50))
    }

    @Test("A success that is shorter than the wait before it does not count")
    func shortSuccess() {
        var backoff = Backoff(first: .milliseconds(50), limit: .seconds(2))
        for _ in 0..<3 { _ = backoff.next() }
        let wait = backoff.next()
        backoff.reset(after: wait - .nanoseconds(1))
        #expect(backoff.failures == 4)
        backoff.reset(after: wait)
        #expect(backoff.failures == 0)
    }

    @Test("Two clients that fail together wait for different times")
    func jitter() {
        let waits = Set((0..<20).map { _ in Backoff(first: .seconds(1)).firstWait })
        #expect(waits.count > 1)
    }
}

extension Backoff {
    fileprivate var firstWait: Duration {
        var copy = self
        return copy.next()
    }
}
