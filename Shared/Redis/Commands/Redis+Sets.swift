extension Redis {
    /// SADD: how many of the members are new.
    @discardableResult
    public func add(_ members: [String], toSet key: RedisKey) async throws(RedisError) -> Int {
        guard !members.isEmpty else { return 0 }
        return try await count(RedisCommand("SADD", [key] + members))
    }

    /// SREM: how many of the members there were.
    @discardableResult
    public func remove(_ members: [String], fromSet key: RedisKey) async throws(RedisError) -> Int {
        guard !members.isEmpty else { return 0 }
        return try await count(RedisCommand("SREM", [key] + members))
    }

    /// SMEMBERS: in no order.
    public func members(ofSet key: RedisKey) async throws(RedisError) -> Set<String> {
        var members: Set<String> = []
        for member in try await run(RedisCommand("SMEMBERS", key)).requireArray() {
            members.insert(try member.requireText())
        }
        return members
    }

    /// SISMEMBER.
    public func isMember(_ member: String, ofSet key: RedisKey) async throws(RedisError) -> Bool {
        try await count(RedisCommand("SISMEMBER", key, member)) == 1
    }

    /// SCARD.
    public func count(ofSet key: RedisKey) async throws(RedisError) -> Int {
        try await count(RedisCommand("SCARD", key))
    }
}
