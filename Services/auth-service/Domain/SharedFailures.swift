import Redis
import Wire

/// What all instances know of attempts to log in, in Redis: it outlives every one of them.
///
/// A count is a key that goes when all is forgiven, so its remaining life tells when it grew last.
struct SharedFailures: Sendable {
    let redis: Redis

    /// Nobody waits long for it: without Redis each instance goes by what it has seen itself.
    private static let patience = Duration.milliseconds(250)
    /// How long the address of a login counts as its owner's.
    private static let acquaintance = Duration.seconds(90 * 86_400)

    /// What is known of an attempt; nil while Redis is away.
    func standing(of attempt: LoginAttempt) async -> LoginStanding? {
        let counts = [accountKey(attempt), addressKey(attempt), pairKey(attempt)]
        let commands = counts.flatMap { [RedisCommand("GET", $0), RedisCommand("PTTL", $0)] }
        let replies = await redis.run(
            commands + [RedisCommand("EXISTS", acquaintanceKey(attempt))], within: Self.patience)
        let values = replies.compactMap { try? $0.get() }
        guard values.count == replies.count else { return nil }
        return LoginStanding(
            account: attempt.account == nil ? nil : Self.record(values[0], values[1]),
            address: Self.record(values[2], values[3]), pair: Self.record(values[4], values[5]),
            isAcquainted: values[6].integer == 1)
    }

    /// Told before the client is, so that the next attempt finds it, wherever it goes.
    func failed(_ attempt: LoginAttempt, isAcquainted: Bool) async {
        var keys = [pairKey(attempt)]
        if !isAcquainted {
            keys.append(addressKey(attempt))
            if attempt.account != nil { keys.append(accountKey(attempt)) }
        }
        let commands = keys.flatMap { key in
            [RedisCommand("INCR", key), RedisCommand("PEXPIRE", key, FailureRecord.memory.wholeMilliseconds)]
        }
        _ = await redis.run(commands, within: Self.patience)
    }

    func succeeded(_ attempt: LoginAttempt) async {
        let known = RedisCommand(
            "SET", acquaintanceKey(attempt), "1", "PX", Self.acquaintance.wholeMilliseconds)
        _ = await redis.run([RedisCommand("DEL", pairKey(attempt)), known], within: Self.patience)
    }

    /// A count without an end is none: whoever made it died before giving it one.
    private static func record(_ count: RedisValue, _ life: RedisValue) -> FailureRecord? {
        guard let failures = count.integer, let milliseconds = life.integer, milliseconds > 0 else { return nil }
        return FailureRecord(
            failures: Int(failures), age: max(.zero, FailureRecord.memory - .milliseconds(milliseconds)))
    }

    private func accountKey(_ attempt: LoginAttempt) -> RedisKey { "login:account:\(attempt.account ?? "")" }
    private func addressKey(_ attempt: LoginAttempt) -> RedisKey { "login:address:\(attempt.address)" }
    private func pairKey(_ attempt: LoginAttempt) -> RedisKey {
        "login:pair:\(attempt.account ?? ""):\(attempt.address)"
    }
    private func acquaintanceKey(_ attempt: LoginAttempt) -> RedisKey {
        "login:known:\(attempt.account ?? ""):\(attempt.address)"
    }
}
