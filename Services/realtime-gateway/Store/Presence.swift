import Redis
import Wire

/// The users with a socket in a room, on any node: written when a socket joins, renewed while it stays, and valid for a
/// minute, or until the loop of the socket is known to be dead.
///
/// Each loop of each node writes its own entries, `<user>@<loop>`, so a user that leaves one loop may still be on
/// another. An entry expires by the time of Redis, because the clocks of nodes may differ.
struct Presence: Sendable {
    /// How long an entry is valid, and how often it is renewed.
    struct Times {
        var lifetime = Duration.seconds(60)
        var renewal = Duration.seconds(20)
    }

    let redis: Redis
    let times: Times

    /// KEYS: the room. ARGV: the lifetime of entries, and the entries.
    private static let entering = RedisScript(
        """
        \(RedisScript.clock)
        for index = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[index]) end
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
        redis.call('PEXPIRE', KEYS[1], ARGV[1])
        return 1
        """)
    /// KEYS: the room.
    private static let finding = RedisScript(
        """
        \(RedisScript.clock)
        return redis.call('ZRANGEBYSCORE', KEYS[1], now, '+inf')
        """)

    func enter(_ users: some Sequence<UserID>, _ room: RoomID, at loop: String) {
        let entries = users.map { "\($0)@\(loop)" }
        if entries.isEmpty { return }
        redis.post(Self.entering.command(keys: [Self.key(room)], [Int(times.lifetime.wholeMilliseconds)] + entries))
    }

    /// Returns whether Redis has removed the entry.
    func leave(_ user: UserID, _ room: RoomID, at loop: String) async -> Bool {
        let reply = try? await redis.run(RedisCommand("ZREM", Self.key(room), "\(user)@\(loop)"))
        return reply != nil
    }

    /// The users with a socket in the room. If Redis does not answer it is empty: a push too many does less harm than a lost one.
    func users(in room: RoomID) async -> Set<UserID> {
        let replies = await redis.run([
            Self.finding.command(keys: [Self.key(room)]), OnlineStore.livingLoops,
        ])
        let found = replies.map { (try? $0.get())?.array?.compactMap(\.text) ?? [] }
        // An entry outlives its loop. Without any living loop Redis has lost their signs of life.
        let living = Set(found[1])
        return Set(found[0].filter { living.isEmpty || living.contains(Self.loop($0)) }.compactMap(Self.user))
    }

    private static func user(_ entry: String) -> UserID? { UserID(String(entry.prefix { $0 != "@" })) }

    private static func loop(_ entry: String) -> String { String(entry.drop { $0 != "@" }.dropFirst()) }

    private static func key(_ room: RoomID) -> RedisKey { "presence:\(room.description)" }
}
