internal import EventLoop
internal import Redis
internal import Wire

/// Applies the call limits to all instances of a service together. No call waits for Redis.
///
/// Each instance takes tokens from its own buckets. Five times a second it reports to Redis how many it has taken from the
/// buckets in use, and reads how many are left in the shared bucket; it does not exceed that number. A caller that uses
/// several instances at once can exceed the limit by the calls that they admit within one interval, and then waits
/// longer. While Redis is away, each instance applies the limits alone.
struct SharedLimits: Sendable {
    let limits: CallLimits
    let redis: Redis
    /// The service; each has its own buckets.
    let name: String

    private static let interval = Duration.milliseconds(200)
    /// The number of keys in one pipeline.
    private static let batch = 512

    /// Synchronizes the buckets until the task is cancelled.
    func run(on loop: EventLoop) async throws {
        while true {
            try await loop.sleep(for: Self.interval)
            await synchronize()
        }
    }

    /// Reports the taken tokens and reads the shared buckets once.
    func synchronize() async {
        guard case .connected = redis.state else { return }
        await synchronize(limits.users, "user")
        await synchronize(limits.addresses, "address")
        if let keys = limits.keys { await synchronize(keys, "key") }
    }

    private func synchronize<Key>(_ table: BucketTable<Key>, _ kind: String) async {
        let due = table.takeUnreported()
        for start in stride(from: 0, to: due.count, by: Self.batch) {
            let some = due[start..<min(start + Self.batch, due.count)]
            let outcomes = await redis.run(
                Self.take,
                many: some.map { key, taken in
                    (["limits:\(name):\(kind):\(key)"], [String(table.rate), String(table.burst), taken])
                })
            for ((key, taken), outcome) in zip(some, outcomes) {
                guard let text = try? outcome.get().text, let left = Double(text) else {
                    table.restore(key, taken: taken)
                    continue
                }
                table.settle(key, shared: left)
            }
        }
    }

    /// KEYS: the bucket. ARGV: tokens per second, tokens at once, tokens taken. The balance of a bucket never falls below
    /// minus its capacity. A full bucket expires.
    private static let take = RedisScript(
        """
        local rate, burst, taken = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
        \(RedisScript.clock)
        local known = redis.call('HMGET', KEYS[1], 'left', 'at')
        local left = burst
        if known[1] then
            left = math.min(burst, known[1] + math.max(0, now - known[2]) * rate / 1000)
        end
        left = math.max(-burst, left - taken)
        redis.call('HSET', KEYS[1], 'left', tostring(left), 'at', now)
        redis.call('PEXPIRE', KEYS[1], math.ceil((burst - left) * 1000 / rate) + 1000)
        return tostring(left)
        """)
}
