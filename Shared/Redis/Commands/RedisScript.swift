internal import CCrypto
internal import Wire

/// A Lua script, which is sent by its digest, and in full only if the server does not know it.
public struct RedisScript: Sendable {
    /// Lua; keys are in KEYS, all other arguments in ARGV.
    public let source: String
    /// SHA-1 of the source in hexadecimal, by which Redis identifies the script.
    public let digest: String

    /// Lua that sets `now` to the time of the server in milliseconds: the clocks of its clients need not agree.
    public static let clock = """
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        """

    /// Takes Lua source.
    public init(_ source: String) {
        self.source = source
        var sum = [UInt8](repeating: 0, count: 20)
        var source = source
        source.withUTF8 { bytes in
            _ = EVP_Digest(bytes.baseAddress, bytes.count, &sum, nil, EVP_sha1(), nil)
        }
        var text = ByteWriter(capacity: 40)
        text.append(hex: sum.span)
        digest = String(decoding: text.bytes, as: UTF8.self)
    }
}

extension RedisScript {
    /// EVAL: the script in full, for calls that keep the order of posted commands or go with others in one round trip.
    public func command(keys: [RedisKey], _ arguments: [any RedisArgument] = []) -> RedisCommand {
        RedisCommand("EVAL", [source, keys.count] + keys + arguments)
    }
}

extension Redis {
    /// EVALSHA: runs a script, which the server executes as one step; all keys that it accesses must be in `keys`.
    ///
    /// If the server has lost the script, by a restart or SCRIPT FLUSH, it is sent in full.
    @discardableResult
    public func run(
        _ script: RedisScript, keys: [RedisKey], _ arguments: any RedisArgument..., within limit: Duration? = nil
    ) async throws(RedisError) -> RedisValue {
        let rest: [any RedisArgument] = [keys.count] + keys + arguments
        do {
            return try await run(RedisCommand("EVALSHA", [script.digest] + rest), within: limit)
        } catch  where error.code == "NOSCRIPT" {
            return try await run(RedisCommand("EVAL", [script.source] + rest), within: limit)
        }
    }

    /// Runs a script once for each element of `calls`, all sent together; each call has its own outcome.
    public func run(
        _ script: RedisScript, many calls: [(keys: [RedisKey], arguments: [any RedisArgument])]
    ) async -> [Result<RedisValue, RedisError>] {
        var outcomes = await run(
            calls.map { RedisCommand("EVALSHA", [script.digest, $0.keys.count] + $0.keys + $0.arguments) })
        let unknown = outcomes.indices.filter { outcomes[$0].failure?.code == "NOSCRIPT" }
        let again = await run(unknown.map { script.command(keys: calls[$0].keys, calls[$0].arguments) })
        for (index, outcome) in zip(unknown, again) { outcomes[index] = outcome }
        return outcomes
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
