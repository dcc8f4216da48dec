extension Redis {
    /// HGET: the value of a field, or nil where there is none.
    public func hashValue(_ field: String, of key: RedisKey) async throws(RedisError) -> [UInt8]? {
        try await run(RedisCommand("HGET", key, field)).requireOptionalBytes()
    }

    /// HGETALL: all fields; empty where there is no such key.
    public func hash(_ key: RedisKey) async throws(RedisError) -> [String: [UInt8]] {
        var fields: [String: [UInt8]] = [:]
        for (field, value) in try await run(RedisCommand("HGETALL", key)).requirePairs() {
            fields[try field.requireText()] = try value.requireBytes()
        }
        return fields
    }

    /// HSET: writes fields and returns how many are new.
    @discardableResult
    public func setHash(
        _ key: RedisKey, _ fields: KeyValuePairs<String, any RedisArgument>
    ) async throws(RedisError) -> Int {
        guard !fields.isEmpty else { return 0 }
        var arguments: [any RedisArgument] = [key]
        for (field, value) in fields { arguments += [field, value] }
        return try await count(RedisCommand("HSET", arguments))
    }

    /// HDEL: how many of the fields there were.
    @discardableResult
    public func deleteHashFields(_ fields: [String], of key: RedisKey) async throws(RedisError) -> Int {
        guard !fields.isEmpty else { return 0 }
        return try await count(RedisCommand("HDEL", [key] + fields))
    }

    /// HINCRBY: adds to a field, 0 where there is none, and returns the sum.
    @discardableResult
    public func incrementHashField(
        _ field: String, of key: RedisKey, by step: Int64 = 1
    ) async throws(RedisError) -> Int64 {
        try await run(RedisCommand("HINCRBY", key, field, step)).requireInteger()
    }
}
