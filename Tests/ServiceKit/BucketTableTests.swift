import Testing

@testable import ServiceKit

@Suite("Bucket table")
struct BucketTableTests {
    @Test("In a full table, new keys share one bucket per shard and are limited")
    func full() {
        // One key for each of the sixteen shards.
        let table = BucketTable<Int>(rate: 1, burst: 2, capacity: 16)
        let now: UInt64 = 1_000_000_000
        let admitted = (0..<1000).count { table.take($0, now: now) == nil }
        #expect(table.count == 16)
        #expect(admitted == 16 + 2 * 16, "a key in each shard, and a shared burst for the others")
        #expect((0..<1000).contains { table.take($0, now: now + 1_000_000_000) == nil })
    }

    @Test("Full buckets are removed when the table grows")
    func sweep() {
        let table = BucketTable<Int>(rate: 1000, burst: 1, capacity: 1 << 20)
        for key in 0..<50_000 { #expect(table.take(key, now: UInt64(key + 1) * 1_000_000_000) == nil) }
        #expect(table.count < 16 * 200)
    }
}
