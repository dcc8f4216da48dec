import Contract
import Redis
import ServiceKit
import Wire

/// The users with a `/me` socket on each loop of each gateway, and whether they are away: a Redis hash for each loop, which
/// the loop renews. The hash of a loop that has died expires.
///
/// Signs of life have the time of Redis, because the clocks of gateways may differ.
struct OnlineStore: Sendable {
    struct Times: Sendable {
        /// How long the hash of a loop is valid without renewal.
        var lifetime = Duration.seconds(12)
        var renewal = Duration.seconds(4)
        /// Other loops forget a loop that they have not heard of for so long. Its hash has expired before.
        var loopTimeout = Duration.seconds(16)
        /// A user stays online for so long after the last socket has closed: clients change networks.
        var grace = Duration.seconds(5)
    }

    let redis: Redis

    private static let loops: RedisKey = "online-loops"
    /// A field that is always there, because Redis removes an empty hash.
    private static let sign = "-"
    private static let fieldsPerCommand = 1000
    /// Dead loops are asked about for this long.
    private static let memory = Duration.seconds(60)
    /// A loop that has not renewed its hash for so long is dead.
    private static let silence = Duration.seconds(24)

    /// KEYS: the loops. ARGV: the loop, and how long dead loops are kept.
    private static let noting = RedisScript(
        """
        \(RedisScript.clock)
        redis.call('ZADD', KEYS[1], now, ARGV[1])
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
        return 1
        """)
    /// KEYS: the loops. ARGV: how long a living loop may be silent.
    private static let finding = RedisScript(
        """
        \(RedisScript.clock)
        return redis.call('ZRANGEBYSCORE', KEYS[1], now - ARGV[1], '+inf')
        """)

    /// Writes changed users of a loop, and then tells the loops that watch them.
    func write(_ changes: [PresenceHint.Change], at loop: String, for lifetime: Duration) {
        for part in parts(of: changes) {
            let set = part.filter { $0.state != .offline }
            let removed = part.filter { $0.state == .offline }
            if !set.isEmpty {
                redis.post(Self.command("HSET", loop, set.flatMap { [$0.user.description, $0.state.rawValue] }))
            }
            if !removed.isEmpty { redis.post(Self.command("HDEL", loop, removed.map(\.user.description))) }
            redis.publish(PresenceHint(loop: loop, changes: part))
        }
        // A hash that a write has made anew must expire as well.
        redis.post(RedisCommand("PEXPIRE", Self.key(loop), Int(lifetime.wholeMilliseconds)))
    }

    /// Writes all users of a loop anew.
    func rewrite(_ all: [PresenceHint.Change], at loop: String, for lifetime: Duration) {
        redis.post(RedisCommand("DEL", Self.key(loop)))
        redis.post(RedisCommand("HSET", Self.key(loop), Self.sign, "1"))
        note(loop)
        write(all, at: loop, for: lifetime)
    }

    /// Renews the hash of a loop and gives a sign of life. Returns false if Redis does not have the hash any more.
    func renew(_ loop: String, for lifetime: Duration) async -> Bool {
        let reply = try? await redis.run(RedisCommand("PEXPIRE", Self.key(loop), Int(lifetime.wholeMilliseconds)))
        guard reply?.integer == 1 else { return false }
        note(loop)
        redis.publish(PresenceHint(loop: loop))
        return true
    }

    /// Asks for the names of the loops that are alive.
    static var livingLoops: RedisCommand {
        finding.command(keys: [loops], [Int(silence.wholeMilliseconds)])
    }

    private func note(_ loop: String) {
        redis.post(Self.noting.command(keys: [Self.loops], [loop, Int(Self.memory.wholeMilliseconds)]))
    }

    /// The users among these that are online or away on each loop.
    ///
    /// - Throws: if Redis does not answer.
    func states(of users: [UserID]) async throws -> [String: [UserID: PresenceState]] {
        let names = try await redis.run(RedisCommand("ZRANGE", Self.loops, 0, -1)).array?.compactMap(\.text) ?? []
        var found: [String: [UserID: PresenceState]] = [:]
        for part in stride(from: 0, to: users.count, by: Self.fieldsPerCommand).map({ start in
            Array(users[start...].prefix(Self.fieldsPerCommand))
        }) {
            let fields = part.map(\.description)
            let replies = await redis.runInBatches(names.map { Self.command("HMGET", $0, fields) })
            guard replies.count == names.count else { throw RedisError.notConnected }
            for (name, reply) in zip(names, replies) {
                for (user, value) in zip(part, try reply.get().array ?? []) {
                    if let state = value.text.flatMap(PresenceState.init) { found[name, default: [:]][user] = state }
                }
            }
        }
        return found
    }

    private func parts(of changes: [PresenceHint.Change]) -> [[PresenceHint.Change]] {
        stride(from: 0, to: changes.count, by: PresenceHint.mostChanges).map { start in
            Array(changes[start...].prefix(PresenceHint.mostChanges))
        }
    }

    private static func command(_ name: String, _ loop: String, _ texts: [String]) -> RedisCommand {
        var arguments: [any RedisArgument] = [key(loop)]
        for text in texts { arguments.append(text) }
        return RedisCommand(name, arguments)
    }

    private static func key(_ loop: String) -> RedisKey { "online:\(loop)" }
}
