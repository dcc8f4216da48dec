internal import Wire

extension Redis {
    /// When `set` writes.
    public enum Condition: Sendable {
        case always
        /// Only where there is no such key.
        case ifAbsent
        /// Only where there is one.
        case ifPresent
    }

    /// GET: the value, or nil where there is none.
    public func get(_ key: RedisKey) async throws(RedisError) -> [UInt8]? {
        try await run(RedisCommand("GET", key)).requireOptionalBytes()
    }

    /// MGET: the values in the order of the keys, nil where there is none.
    public func get(_ keys: [RedisKey]) async throws(RedisError) -> [[UInt8]?] {
        guard !keys.isEmpty else { return [] }
        return try await run(RedisCommand("MGET", keys)).requireArray().map(\.bytes)
    }

    /// SET: writes a value, which goes after `expiry`; without one it stays. Says whether it was written.
    @discardableResult
    public func set(
        _ key: RedisKey, to value: any RedisArgument, expiry: Duration? = nil, when condition: Condition = .always
    ) async throws(RedisError) -> Bool {
        var arguments: [any RedisArgument] = [key, value]
        if let expiry { arguments += ["PX", expiry.redisMilliseconds] }
        switch condition {
        case .always: break
        case .ifAbsent: arguments.append("NX")
        case .ifPresent: arguments.append("XX")
        }
        return try await !run(RedisCommand("SET", arguments)).isNull
    }

    /// DEL: how many of the keys there were.
    @discardableResult
    public func delete(_ keys: RedisKey...) async throws(RedisError) -> Int { try await delete(keys) }

    /// DEL: how many of the keys there were.
    @discardableResult
    public func delete(_ keys: [RedisKey]) async throws(RedisError) -> Int {
        guard !keys.isEmpty else { return 0 }
        return try await count(RedisCommand("DEL", keys))
    }

    /// EXISTS.
    public func exists(_ key: RedisKey) async throws(RedisError) -> Bool {
        try await count(RedisCommand("EXISTS", key)) == 1
    }

    /// PEXPIRE: lets a key go after `delay`; false where there is none.
    @discardableResult
    public func expire(_ key: RedisKey, after delay: Duration) async throws(RedisError) -> Bool {
        try await count(RedisCommand("PEXPIRE", key, delay.redisMilliseconds)) == 1
    }

    /// PTTL: how long a key stays; nil where there is none or it stays for ever.
    public func remainingLife(of key: RedisKey) async throws(RedisError) -> Duration? {
        let milliseconds = try await run(RedisCommand("PTTL", key)).requireInteger()
        return milliseconds < 0 ? nil : .milliseconds(milliseconds)
    }

    /// INCRBY: adds to the number at a key, 0 where there is none, and returns the sum.
    @discardableResult
    public func increment(_ key: RedisKey, by step: Int64 = 1) async throws(RedisError) -> Int64 {
        try await run(RedisCommand("INCRBY", key, step)).requireInteger()
    }

    /// PUBLISH: how many connections of this server heard the message.
    @discardableResult
    public func publish(_ message: any RedisArgument, to channel: String) async throws(RedisError) -> Int {
        try await count(RedisCommand("PUBLISH", channel, message))
    }

    /// PUBLISH without waiting for the reply: a message that does not leave is forgotten, as hints may be.
    public func hint(_ message: any RedisArgument, to channel: String) {
        post(RedisCommand("PUBLISH", channel, message))
    }

    /// Runs a command whose reply is a count.
    func count(_ command: RedisCommand) async throws(RedisError) -> Int {
        try await Int(run(command).requireInteger())
    }
}

extension Duration {
    /// Whole milliseconds, at least one: Redis refuses an expiry of none.
    var redisMilliseconds: Int64 { max(1, wholeMilliseconds) }
}
