internal import EventLoop
internal import Synchronization
internal import Wire

/// A token bucket a key, for keys that come and go; full buckets are forgotten, and there are never more than `capacity`.
///
/// When the table is full of keys that are all over their rate, a new key shares one bucket with the other new ones: memory
/// stays bounded and nobody gets in free.
public final class BucketTable<Key: Hashable & Sendable>: Sendable {
    private struct Shard {
        var buckets: [Key: TokenBucket] = [:]
        var overflow: TokenBucket
        var sweepAt = 64
    }

    /// A mutex cannot be an element of an array.
    private final class Lock: Sendable {
        let shard: Mutex<Shard>

        init(_ shard: Shard) { self.shard = Mutex(shard) }
    }

    private let rate: Double
    private let burst: Double
    private let capacity: Int
    private let locks: [Lock]

    private static var shardCount: Int { 16 }

    /// - Parameter capacity: keys remembered at most, over all.
    public init(rate: Double, burst: Double, capacity: Int = 1 << 17) {
        self.rate = rate
        self.burst = burst
        self.capacity = capacity / Self.shardCount
        let now = EventLoop.preciseNow
        locks = (0..<Self.shardCount).map { _ in
            Lock(Shard(overflow: TokenBucket(rate: rate, burst: burst, now: now)))
        }
    }

    /// Takes a token of `key`; where there is none, tells how long until there is one.
    public func take(_ key: Key) -> Duration? { take(key, now: EventLoop.preciseNow) }

    func take(_ key: Key, now: UInt64) -> Duration? {
        locks[Int(UInt(bitPattern: key.hashValue) % UInt(Self.shardCount))].shard.withLock { shard in
            if shard.buckets[key] == nil {
                if shard.buckets.count >= shard.sweepAt { sweep(&shard, now) }
                guard shard.buckets.count < capacity else { return shard.overflow.take(now: now) }
            }
            return shard.buckets[key, default: TokenBucket(rate: rate, burst: burst, now: now)].take(now: now)
        }
    }

    /// Forgets full buckets; the next sweep comes when the table has doubled, so that sweeps cost each key a constant.
    private func sweep(_ shard: inout Shard, _ now: UInt64) {
        shard.buckets = shard.buckets.filter { element in
            var bucket = element.value
            return !bucket.isFull(now: now)
        }
        shard.sweepAt = max(64, min(capacity, shard.buckets.count * 2))
    }

    var count: Int { locks.reduce(0) { $0 + $1.shard.withLock { $0.buckets.count } } }
}
