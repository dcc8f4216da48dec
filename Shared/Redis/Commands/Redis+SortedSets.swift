extension Redis {
    /// ZADD: gives each member its score and returns how many are new.
    @discardableResult
    public func add(
        _ members: [(member: String, score: Double)], toSortedSet key: RedisKey
    ) async throws(RedisError) -> Int {
        guard !members.isEmpty else { return 0 }
        var arguments: [any RedisArgument] = [key]
        for (member, score) in members { arguments += [score, member] as [any RedisArgument] }
        return try await count(RedisCommand("ZADD", arguments))
    }

    /// ZREM: how many of the members there were.
    @discardableResult
    public func remove(_ members: [String], fromSortedSet key: RedisKey) async throws(RedisError) -> Int {
        guard !members.isEmpty else { return 0 }
        return try await count(RedisCommand("ZREM", [key] + members))
    }

    /// ZSCORE: nil where there is no such member.
    public func score(of member: String, inSortedSet key: RedisKey) async throws(RedisError) -> Double? {
        let reply = try await run(RedisCommand("ZSCORE", key, member))
        return reply.isNull ? nil : Double(try reply.requireText())
    }

    /// ZRANGE BYSCORE: the members with scores in `scores`, lowest first, at most `limit`.
    public func members(
        ofSortedSet key: RedisKey, scores: ClosedRange<Double>, limit: Int = 1000
    ) async throws(RedisError) -> [String] {
        let command = RedisCommand(
            "ZRANGE", key, scores.lowerBound, scores.upperBound, "BYSCORE", "LIMIT", 0, limit)
        var members: [String] = []
        for member in try await run(command).requireArray() { members.append(try member.requireText()) }
        return members
    }

    /// ZREMRANGEBYSCORE: removes the members with scores in `scores` and returns how many they were.
    @discardableResult
    public func removeMembers(
        ofSortedSet key: RedisKey, scores: ClosedRange<Double>
    ) async throws(RedisError) -> Int {
        try await count(RedisCommand("ZREMRANGEBYSCORE", key, scores.lowerBound, scores.upperBound))
    }

    /// ZCARD.
    public func count(ofSortedSet key: RedisKey) async throws(RedisError) -> Int {
        try await count(RedisCommand("ZCARD", key))
    }
}
