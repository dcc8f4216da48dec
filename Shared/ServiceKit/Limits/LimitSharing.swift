internal import EventLoop
internal import Redis
internal import Wire

/// Makes the limits of calls those of all instances of a service together, without a call ever waiting for it.
///
/// Every instance takes from buckets of its own, and five times a second tells Redis how much it has taken from
/// those that are in use; it is told in turn what is left of the bucket that all share, and takes no more than that.
/// So a caller who goes to several instances at once gets, beyond the limit, what they admit within one such
/// interval, and pays it back by waiting longer. While Redis is away, the limits are those of each instance.
struct LimitSharing: Sendable {
    let limits: CallLimits
    let redis: Redis
    /// The service, whose calls are counted apart from those of others.
    let name: String

    private static let interval = Duration.milliseconds(200)
    /// Keys in one pipeline.
    private static let batch = 512

    /// Shares until cancelled.
    func run(on loop: EventLoop) async throws {
        while true {
            try await loop.sleep(for: Self.interval)
            await share()
        }
    }

    /// Tells and asks once.
    func share() async {
        guard case .connected = redis.state else { return }
        await share(limits.users, "user")
        await share(limits.addresses, "address")
        if let keys = limits.keys { await share(keys, "key") }
    }

    private func share<Key>(_ table: BucketTable<Key>, _ kind: String) async {
        let due = table.takeDue()
        for start in stride(from: 0, to: due.count, by: Self.batch) {
            let some = due[start..<min(start + Self.batch, due.count)]
            let outcomes = await redis.run(
                Self.take,
                many: some.map { key, taken in
                    (["limits:\(name):\(kind):\(key)"], [String(table.rate), String(table.burst), taken])
                })
            for ((key, taken), outcome) in zip(some, outcomes) {
                guard let text = try? outcome.get().text, let left = Double(text) else {
                    table.untell(key, taken: taken)
                    continue
                }
                table.settle(key, shared: left)
            }
        }
    }

    /// KEYS: the bucket. ARGV: tokens a second, tokens at once, tokens taken. It owes as many as it can hold at most,
    /// and is forgotten when it is full.
    private static let take = RedisScript(
        """
        local rate, burst, taken = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
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
