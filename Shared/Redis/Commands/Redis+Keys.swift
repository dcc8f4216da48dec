internal import Wire

extension Redis {
    /// The condition under which `set` writes.
    public enum Condition: Sendable {
        case always
        /// Only if the key does not exist.
        case ifAbsent
        /// Only if the key exists.
        case ifPresent
    }

    /// GET: the value, or nil if the key does not exist.
    public func get(_ key: RedisKey) async throws(RedisError) -> [UInt8]? {
        try await run(RedisCommand("GET", key)).requireOptionalBytes()
    }

    /// MGET: the values in the order of the keys; nil for a key that does not exist.
    public func get(_ keys: [RedisKey]) async throws(RedisError) -> [[UInt8]?] {
        guard !keys.isEmpty else { return [] }
        return try await run(RedisCommand("MGET", keys)).requireArray().map(\.bytes)
    }

    /// SET: writes a value, which is deleted after `expiry`, or never without one. Returns whether it was written.
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

    /// DEL: returns the number of keys that existed.
    @discardableResult
    public func delete(_ keys: RedisKey...) async throws(RedisError) -> Int { try await delete(keys) }

    /// DEL: returns the number of keys that existed.
    @discardableResult
    public func delete(_ keys: [RedisKey]) async throws(RedisError) -> Int {
        guard !keys.isEmpty else { return 0 }
        return try await count(RedisCommand("DEL", keys))
    }

    /// PEXPIRE: deletes a key after `delay`; returns false if it does not exist.
    @discardableResult
    public func expire(_ key: RedisKey, after delay: Duration) async throws(RedisError) -> Bool {
        try await count(RedisCommand("PEXPIRE", key, delay.redisMilliseconds)) == 1
    }

    /// INCRBY: adds to the number at a key, which starts at 0, and returns the sum.
    @discardableResult
    public func increment(_ key: RedisKey, by step: Int64 = 1) async throws(RedisError) -> Int64 {
        try await run(RedisCommand("INCRBY", key, step)).requireInteger()
    }

    /// PUBLISH: returns the number of connections of this server that received the message.
    @discardableResult
    public func publish(_ message: any RedisArgument, to channel: String) async throws(RedisError) -> Int {
        try await count(RedisCommand("PUBLISH", channel, message))
    }

    /// PUBLISH without waiting for the reply. A message that cannot be sent is dropped, as hints may be.
    public func hint(_ message: any RedisArgument, to channel: String) {
        post(RedisCommand("PUBLISH", channel, message))
    }

    /// Runs a command that replies with a count.
    func count(_ command: RedisCommand) async throws(RedisError) -> Int {
        try await Int(run(command).requireInteger())
    }
}

extension Duration {
    /// Whole milliseconds, at least one, because Redis refuses an expiry of zero.
    var redisMilliseconds: Int64 { max(1, wholeMilliseconds) }
}
