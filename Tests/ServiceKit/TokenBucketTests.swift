import ServiceKit
import Testing

@Suite("Token bucket")
struct TokenBucketTests {
    @Test("A burst is admitted at once, then one call per interval, and the reported wait is exact")
    func burstThenRate() throws {
        var bucket = TokenBucket(rate: 10, burst: 3, now: 1000)
        for _ in 0..<3 { #expect(bucket.take(now: 1000) == nil) }
        let refused = bucket.take(now: 1000)
        let wait = try #require(refused)
        #expect(wait <= .milliseconds(101) && wait >= .milliseconds(99))
        #expect(bucket.take(now: 1000 + 50_000_000) != nil)
        #expect(bucket.take(now: 1000 + 101_000_000) == nil)
        #expect(bucket.take(now: 1000 + 101_000_000) != nil)
    }

    @Test("An idle bucket refills to its capacity, and time that runs backwards adds nothing")
    func refill() {
        var bucket = TokenBucket(rate: 1, burst: 2, now: 0)
        for _ in 0..<2 { _ = bucket.take(now: 0) }
        let later: UInt64 = 3600 * 1_000_000_000
        let isFull = bucket.isFull(now: later)
        #expect(isFull)
        for _ in 0..<2 { #expect(bucket.take(now: later) == nil) }
        #expect(bucket.take(now: later) != nil)
        #expect(bucket.take(now: 0) != nil)
    }
}
