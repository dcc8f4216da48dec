public import Redis
public import Wire

/// Counts the moves of a user's read markers in Redis, for a few minutes. A gateway that keeps the start of a user's `/me`
/// socket uses it again only while the count is the same.
public struct ReadMoves: Sendable {
    private let redis: Redis

    /// Longer than any gateway keeps a start.
    public static let memory = Duration.seconds(300)

    public init(redis: Redis) { self.redis = redis }

    /// Counts a move of a user. To be called on any loop.
    public func note(_ user: UserID) {
        redis.post(RedisCommand("INCR", Self.key(user)))
        redis.post(RedisCommand("PEXPIRE", Self.key(user), Int(Self.memory.wholeMilliseconds)))
    }

    /// The count of a user: nil if none was counted lately.
    ///
    /// - Throws: if Redis does not answer.
    public func count(of user: UserID) async throws -> Int64? {
        try await redis.run(RedisCommand("GET", Self.key(user))).integer
    }

    private static func key(_ user: UserID) -> RedisKey { "read-moves:\(user)" }
}
