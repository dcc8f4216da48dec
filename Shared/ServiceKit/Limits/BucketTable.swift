internal import EventLoop
internal import Synchronization
internal import Wire

/// A token bucket a key, for keys that come and go; full buckets are forgotten,
/// and there are never more than `capacity`.
///
/// When the table is full of keys that are all over their rate, a new key shares one bucket with the other new ones:
/// memory stays bounded and nobody gets in free.
public final class BucketTable<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        var bucket: TokenBucket
        /// Tokens taken that other instances have not been told of.
        var untold = 0
    }

    private struct Shard {
        var entries: [Key: Entry] = [:]
        var overflow: TokenBucket
        var sweepAt = 64
        /// Keys of which so much was taken that other instances should know.
        var due: [Key] = []
    }

    /// Tokens a second.
    let rate: Double
    /// Tokens at once.
    let burst: Double
    /// So many untold tokens make a key due.
    private let tellAt: Int
    private let mostUntold: Int
    private let capacity: Int
    private let shards: InlineArray<16, Mutex<Shard>>

    /// - Parameter capacity: keys remembered at most, over all.
    public init(rate: Double, burst: Double, capacity: Int = 1 << 17) {
        self.rate = rate
        self.burst = burst
        mostUntold = Int(min(burst, 1e12))
        tellAt = max(1, mostUntold / 32)
        let now = EventLoop.preciseNow
        shards = InlineArray { _ in Mutex(Shard(overflow: TokenBucket(rate: rate, burst: burst, now: now))) }
        self.capacity = capacity / shards.count
    }

    /// Takes a token of `key`; where there is none, tells how long until there is one.
    public func take(_ key: Key) -> Duration? { take(key, now: EventLoop.preciseNow) }

    func take(_ key: Key, now: UInt64) -> Duration? {
        withShard(of: key) { shard in
            if let place = shard.entries.index(forKey: key) { return take(key, at: place, &shard, now) }
            if shard.entries.count >= shard.sweepAt { sweep(&shard, now) }
            guard shard.entries.count < capacity else { return shard.overflow.take(now: now) }
            shard.entries[key] = Entry(bucket: TokenBucket(rate: rate, burst: burst, now: now))
            return shard.entries.index(forKey: key).flatMap { take(key, at: $0, &shard, now) }
        }
    }

    private func take(_ key: Key, at place: Dictionary<Key, Entry>.Index, _ shard: inout Shard, _ now: UInt64)
        -> Duration?
    {
        if let wait = shard.entries.values[place].bucket.take(now: now) { return wait }
        shard.entries.values[place].untold += 1
        if shard.entries.values[place].untold == tellAt, shard.due.count < capacity { shard.due.append(key) }
        return nil
    }

    private func withShard<Result>(of key: Key, _ body: (inout Shard) -> Result) -> Result {
        shards[Int(UInt(bitPattern: key.hashValue) % UInt(shards.count))].withLock { body(&$0) }
    }

    /// Forgets full buckets; the next sweep comes when the table has doubled, so that sweeps cost each key a constant.
    private func sweep(_ shard: inout Shard, _ now: UInt64) {
        shard.entries = shard.entries.filter { element in
            var bucket = element.value.bucket
            return !bucket.isFull(now: now)
        }
        shard.sweepAt = max(64, min(capacity, shard.entries.count * 2))
    }

    var count: Int { shards.indices.reduce(0) { $0 + shards[$1].withLock { $0.entries.count } } }

    // MARK: Sharing

    /// The keys of which others should know, and how many tokens were taken of each since they were told last; 3% of a
    /// burst are not worth telling. What comes back is for `settle`, or for `untell` where nobody could be told.
    func takeDue() -> [(key: Key, taken: Int)] {
        shards.indices.flatMap { index in
            shards[index].withLock { shard -> [(key: Key, taken: Int)] in
                let due = shard.due
                shard.due = []
                return due.compactMap { key in
                    guard let place = shard.entries.index(forKey: key) else { return nil }
                    let taken = shard.entries.values[place].untold
                    shard.entries.values[place].untold = 0
                    return taken > 0 ? (key, taken) : nil
                }
            }
        }
    }

    /// Takes over what the bucket that all instances share has left.
    func settle(_ key: Key, shared left: Double, now: UInt64 = EventLoop.preciseNow) {
        withShard(of: key) { shard in
            guard let place = shard.entries.index(forKey: key) else { return }
            let taken = shard.entries.values[place].untold
            shard.entries.values[place].bucket.settle(shared: left, taken: taken, now: now)
        }
    }

    /// Puts back what could not be told; more than a burst need nobody know.
    func untell(_ key: Key, taken: Int) {
        withShard(of: key) { shard in
            guard let place = shard.entries.index(forKey: key) else { return }
            let untold = shard.entries.values[place].untold
            shard.entries.values[place].untold = min(untold + taken, mostUntold)
            if untold < tellAt, shard.due.count < capacity { shard.due.append(key) }
        }
    }
}
