public import EventLoop
public import Redis
internal import Synchronization
public import Wire

/// Counts the moves of a user's read markers in Redis, for a few minutes. A gateway that keeps the start of a user's `/me`
/// socket uses it again only while the count is the same.
///
/// A gateway has no other way to notice that a kept start has old counts, so moves are counted again until Redis has taken them.
public final class ReadMoves: Sendable {
    private struct Uncounted {
        /// Users with moves that Redis has not taken.
        var users: Set<UserID> = []
        var isRepeating = false
    }

    private let redis: Redis
    private let loops: EventLoopGroup
    private let uncounted = Mutex(Uncounted())

    /// Longer than any gateway keeps a start.
    public static let memory = Duration.seconds(300)
    /// The moves of further users that Redis does not take are lost.
    private static let mostUncounted = 65_536
    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(2)

    public init(redis: Redis, on loops: EventLoopGroup) {
        self.redis = redis
        self.loops = loops
    }

    /// Counts a move of a user. The caller, which must be on a loop, does not wait.
    public func note(_ user: UserID) {
        let loop = loops.current
        Task.immediate(executorPreference: loop) { [self] in
            guard await !count([user]).isEmpty, beginRepeating(user) else { return }
            var backoff = Backoff(first: Self.firstPause, limit: Self.longestPause)
            repeat {
                do { try await loop.sleep(for: backoff.next()) } catch { return }
            } while await !isAllCounted()
        }
    }

    /// The count of a user: nil if none was counted lately.
    ///
    /// - Throws: if Redis does not answer.
    public func count(of user: UserID) async throws -> Int64? {
        try await redis.run(RedisCommand("GET", Self.key(user))).integer
    }

    /// Returns the users with moves that Redis has not taken.
    private func count(_ users: [UserID]) async -> [UserID] {
        let commands = users.flatMap { user in
            [
                RedisCommand("INCR", Self.key(user)),
                RedisCommand("PEXPIRE", Self.key(user), Int(Self.memory.wholeMilliseconds)),
            ]
        }
        let outcomes = await redis.runInBatches(commands)
        return users.indices.filter { !Self.isTaken(outcomes.dropFirst(2 * $0).first) }.map { users[$0] }
    }

    /// Whether Redis has taken a command, or the client was closed; nil for a command that was not sent.
    private static func isTaken(_ outcome: Result<RedisValue, RedisError>?) -> Bool {
        switch outcome {
        case .success?: true
        case .failure(let error)?: error == .closed
        case nil: false
        }
    }

    /// Notes a move that Redis has not taken. Returns whether the caller is to count it, and all others, again.
    private func beginRepeating(_ user: UserID) -> Bool {
        uncounted.withLock { uncounted in
            guard uncounted.users.count < Self.mostUncounted else { return false }
            uncounted.users.insert(user)
            defer { uncounted.isRepeating = true }
            return !uncounted.isRepeating
        }
    }

    private func isAllCounted() async -> Bool {
        let users = uncounted.withLock { uncounted in
            defer { uncounted.users = [] }
            return Array(uncounted.users)
        }
        let left = await count(users)
        return uncounted.withLock { uncounted in
            uncounted.users.formUnion(left)
            uncounted.isRepeating = !uncounted.users.isEmpty
            return !uncounted.isRepeating
        }
    }

    private static func key(_ user: UserID) -> RedisKey { "read-moves:\(user)" }
}
