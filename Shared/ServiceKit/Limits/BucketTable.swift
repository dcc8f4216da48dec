internal import EventLoop
internal import Synchronization
internal import Wire

/// A token bucket for each key. Full buckets are removed, and there are never more than `capacity`.
///
/// If the table is full and no bucket can be removed, new keys share one bucket: memory stays bounded, and a new key is
/// still limited.
public final class BucketTable<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        var bucket: TokenBucket
        /// Tokens taken since the last report to Redis.
        var unreported = 0
    }

    private struct Shard {
        var entries: [Key: Entry] = [:]
        var overflow: TokenBucket
        var sweepAt = 64
        /// Keys with enough unreported tokens for a report.
        var due: [Key] = []
    }

    /// Tokens per second.
    let rate: Double
    /// The capacity of a bucket.
    let burst: Double
    /// This many unreported tokens make a key due for a report.
    private let reportAt: Int
    private let mostUnreported: Int
    private let capacity: Int
    private let shards: InlineArray<16, Mutex<Shard>>

    /// - Parameter capacity: the largest number of keys in the table.
    public init(rate: Double, burst: Double, capacity: Int = 1 << 17) {
        self.rate = rate
        self.burst = burst
        mostUnreported = Int(min(burst, 1e12))
        reportAt = max(1, mostUnreported / 32)
        let now = EventLoop.preciseNow
        shards = InlineArray { _ in Mutex(Shard(overflow: TokenBucket(rate: rate, burst: burst, now: now))) }
        self.capacity = capacity / shards.count
    }

    /// Takes a token of `key`.
    ///
    /// - Returns: nil if there was a token, else the time until there is one.
    public func take(_ key: Key) -> Duration? { take(key, now: EventLoop.preciseNow) }

    func take(_ key: Key, now: UInt64) -> Duration? {
        withShard(of: key) { shard in
            if let index = shard.entries.index(forKey: key) { return take(key, at: index, &shard, now) }
            if shard.entries.count >= shard.sweepAt { sweep(&shard, now) }
            guard shard.entries.count < capacity else { return shard.overflow.take(now: now) }
            shard.entries[key] = Entry(bucket: TokenBucket(rate: rate, burst: burst, now: now))
            return shard.entries.index(forKey: key).flatMap { take(key, at: $0, &shard, now) }
        }
    }

    private func take(_ key: Key, at index: Dictionary<Key, Entry>.Index, _ shard: inout Shard, _ now: UInt64)
        -> Duration?
    {
        if let wait = shard.entries.values[index].bucket.take(now: now) { return wait }
        shard.entries.values[index].unreported += 1
        if shard.entries.values[index].unreported == reportAt, shard.due.count < capacity { shard.due.append(key) }
        return nil
    }

    /// Puts back a token of `key` that turned out not to be used up.
    func giveBack(_ key: Key) {
        withShard(of: key) { shard in
            guard let index = shard.entries.index(forKey: key) else { return shard.overflow.giveBack() }
            shard.entries.values[index].bucket.giveBack()
            shard.entries.values[index].unreported = max(0, shard.entries.values[index].unreported - 1)
        }
    }

    private func withShard<Result>(of key: Key, _ body: (inout Shard) -> Result) -> Result {
        shards[Int(UInt(bitPattern: key.hashValue) % UInt(shards.count))].withLock { body(&$0) }
    }

    /// Removes full buckets. The next sweep comes when the table has doubled, so that the cost per key is constant.
    private func sweep(_ shard: inout Shard, _ now: UInt64) {
        shard.entries = shard.entries.filter { element in
            var bucket = element.value.bucket
            return !bucket.isFull(now: now)
        }
        shard.sweepAt = max(64, min(capacity, shard.entries.count * 2))
    }

    var count: Int { shards.indices.reduce(0) { $0 + shards[$1].withLock { $0.entries.count } } }

    // MARK: Sharing

    /// Returns the keys that are due for a report and the tokens taken of each since the last report; less than 3 % of a
    /// burst is not reported. The caller answers each key with `settle`, or with `restore` if the report failed.
    func takeUnreported() -> [(key: Key, taken: Int)] {
        shards.indices.flatMap { index in
            shards[index].withLock { shard -> [(key: Key, taken: Int)] in
                let due = shard.due
                shard.due = []
                return due.compactMap { key in
                    guard let index = shard.entries.index(forKey: key) else { return nil }
                    let taken = shard.entries.values[index].unreported
                    shard.entries.values[index].unreported = 0
                    return taken > 0 ? (key, taken) : nil
                }
            }
        }
    }

    /// Applies the number of tokens left in the bucket that all instances share.
    func settle(_ key: Key, shared left: Double, now: UInt64 = EventLoop.preciseNow) {
        withShard(of: key) { shard in
            guard let index = shard.entries.index(forKey: key) else { return }
            let taken = shard.entries.values[index].unreported
            shard.entries.values[index].bucket.settle(shared: left, taken: taken, now: now)
        }
    }

    /// Puts back tokens that could not be reported; counts above the capacity are not tracked.
    func restore(_ key: Key, taken: Int) {
        withShard(of: key) { shard in
            guard let index = shard.entries.index(forKey: key) else { return }
            let unreported = shard.entries.values[index].unreported
            shard.entries.values[index].unreported = min(unreported + taken, mostUnreported)
            if unreported < reportAt, shard.due.count < capacity { shard.due.append(key) }
        }
    }
}
