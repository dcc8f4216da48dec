import Redis
import Wire

/// Failed logins and known pairs that all instances share in Redis, where they outlive each instance.
///
/// Each count is a key that expires when its failures are forgotten; its remaining life tells when it last grew.
struct LoginFailureStore: Sendable {
    let redis: Redis

    /// The deadline of each call. Without Redis an instance uses its own counts alone.
    private static let deadline = Duration.milliseconds(250)
    /// How long a pair of account and address stays known after a login.
    private static let knownPairLifetime = Duration.seconds(90 * 86_400)

    /// Returns the shared history of an attempt, or nil if Redis does not answer.
    func history(of attempt: LoginAttempt) async -> LoginHistory? {
        let counts = [accountKey(attempt), addressKey(attempt), pairKey(attempt)]
        let commands = counts.flatMap { [RedisCommand("GET", $0), RedisCommand("PTTL", $0)] }
        let replies = await redis.run(
            commands + [RedisCommand("EXISTS", knownPairKey(attempt))], within: Self.deadline)
        let values = replies.compactMap { try? $0.get() }
        guard values.count == replies.count else { return nil }
        return LoginHistory(
            account: attempt.account == nil ? nil : Self.record(values[0], values[1]),
            address: Self.record(values[2], values[3]), pair: Self.record(values[4], values[5]),
            isKnownPair: values[6].integer == 1)
    }

    /// Counts a failure before the client gets its reply, so that its next attempt meets the count on every instance.
    func failed(_ attempt: LoginAttempt, isKnownPair: Bool) async {
        var keys = [pairKey(attempt)]
        if !isKnownPair {
            keys.append(addressKey(attempt))
            if attempt.account != nil { keys.append(accountKey(attempt)) }
        }
        let commands = keys.flatMap { key in
            [RedisCommand("INCR", key), RedisCommand("PEXPIRE", key, FailureRecord.retention.wholeMilliseconds)]
        }
        _ = await redis.run(commands, within: Self.deadline)
    }

    /// Remembers the pair of account and address as known, and clears its failures.
    func succeeded(_ attempt: LoginAttempt) async {
        let known = RedisCommand(
            "SET", knownPairKey(attempt), "1", "PX", Self.knownPairLifetime.wholeMilliseconds)
        _ = await redis.run([RedisCommand("DEL", pairKey(attempt)), known], within: Self.deadline)
    }

    /// Reads a count. A count without an expiry is ignored: its writer died before setting it.
    private static func record(_ count: RedisValue, _ life: RedisValue) -> FailureRecord? {
        guard let failures = count.integer, let milliseconds = life.integer, milliseconds > 0 else { return nil }
        return FailureRecord(
            failures: Int(failures), age: max(.zero, FailureRecord.retention - .milliseconds(milliseconds)))
    }

    private func accountKey(_ attempt: LoginAttempt) -> RedisKey { "login:account:\(attempt.account ?? "")" }
    private func addressKey(_ attempt: LoginAttempt) -> RedisKey { "login:address:\(attempt.address)" }
    private func pairKey(_ attempt: LoginAttempt) -> RedisKey {
        "login:pair:\(attempt.account ?? ""):\(attempt.address)"
    }
    private func knownPairKey(_ attempt: LoginAttempt) -> RedisKey {
        "login:known:\(attempt.account ?? ""):\(attempt.address)"
    }
}
