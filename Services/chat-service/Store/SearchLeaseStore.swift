import Redis
import Wire

/// Counts the searches that a user has under way in all instances of the service: a lease in Redis for each of them.
///
/// A lease that is not released, because its instance ended, expires after `lifetime`.
struct SearchLeaseStore: Sendable {
    /// The right to run one search.
    struct Lease: Sendable {
        fileprivate let user: UserID
        fileprivate let name: UInt64
    }

    enum Outcome: Sendable {
        case taken(Lease)
        /// The user has as many leases as allowed.
        case refused
        /// Redis did not answer. The lease may have been taken.
        case unknown(Lease)
    }

    private let redis: Redis
    /// Longer than the longest search.
    private let lifetime: Duration
    /// The longest wait for Redis; a search has as much time less.
    private let redisTimeout: Duration

    /// The time after the end of a search, for the profiles of its hits and its reply.
    private static let margin = Duration.seconds(5)

    /// - Parameter time: the time after which searches end.
    init(redis: Redis, timeOfSearch time: Duration) {
        self.redis = redis
        lifetime = time + Self.margin
        redisTimeout = time / 2
    }

    /// KEYS: the leases of the user. ARGV: the most leases, their lifetime in milliseconds, the name of the new one.
    private static let take = RedisScript(
        """
        \(RedisScript.clock)
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
        if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
        redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3])
        redis.call('PEXPIREAT', KEYS[1], redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2])
        return 1
        """)

    /// Takes one of at most `limit` leases of a user, in one round trip.
    func take(for user: UserID, atMost limit: Int) async -> Outcome {
        let lease = Lease(user: user, name: .random(in: 0 ... .max))
        do {
            let isTaken = try await redis.run(
                Self.take, keys: [Self.key(of: user)], limit, lifetime.wholeMilliseconds, String(lease.name),
                within: redisTimeout
            ).integer
            return isTaken == 1 ? .taken(lease) : .refused
        } catch {
            return .unknown(lease)
        }
    }

    /// Gives a lease back. The caller does not wait, and may have been cancelled.
    func release(_ lease: Lease) {
        redis.post(RedisCommand("ZREM", Self.key(of: lease.user), String(lease.name)))
    }

    private static func key(of user: UserID) -> RedisKey { "searches:\(user)" }
}
