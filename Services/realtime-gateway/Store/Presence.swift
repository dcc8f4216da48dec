import Redis
import Wire

/// Who has a socket in which room, on any node: told when one enters, again now and then, and believed for a minute.
///
/// Each loop of each node tells of its own sockets, as `<user>@<feed>`, so that one who leaves it may still be on another.
struct Presence: Sendable {
    /// How long it is believed, and how often it is told.
    struct Times {
        var lifetime = Duration.seconds(60)
        var renewal = Duration.seconds(20)
    }

    let redis: Redis
    let times: Times

    func enter(_ users: some Sequence<UserID>, _ room: RoomID, at feed: String) {
        let until = (Timestamp.now + times.lifetime).milliseconds
        var arguments: [any RedisArgument] = [Self.key(room)]
        for user in users { arguments += [String(until), "\(user)@\(feed)"] }
        guard arguments.count > 1 else { return }
        redis.post(RedisCommand("ZADD", arguments))
        redis.post(RedisCommand("ZREMRANGEBYSCORE", Self.key(room), "-inf", Timestamp.now.milliseconds))
        redis.post(RedisCommand("PEXPIRE", Self.key(room), Int(times.lifetime.wholeMilliseconds)))
    }

    func leave(_ user: UserID, _ room: RoomID, at feed: String) {
        redis.post(RedisCommand("ZREM", Self.key(room), "\(user)@\(feed)"))
    }

    /// Those who have a socket in the room; nobody where Redis does not answer: rather a push too many.
    func users(in room: RoomID) async -> Set<UserID> {
        let now = String(Timestamp.now.milliseconds)
        let reply = try? await redis.run(RedisCommand("ZRANGEBYSCORE", Self.key(room), now, "+inf"))
        return Set(reply?.array?.compactMap { $0.text.flatMap(Self.user) } ?? [])
    }

    private static func user(_ entry: String) -> UserID? { UserID(String(entry.prefix { $0 != "@" })) }

    private static func key(_ room: RoomID) -> RedisKey { "presence:\(room.description)" }
}
