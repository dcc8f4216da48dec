extension Redis {
    /// XADD: appends an entry and returns its name.
    ///
    /// - Parameter limit: about how many entries the stream keeps, the newest; all when nil.
    @discardableResult
    public func append(
        _ fields: KeyValuePairs<String, any RedisArgument>, toStream key: RedisKey, keepingAbout limit: Int? = nil
    ) async throws(RedisError) -> RedisStreamEntry.ID {
        try await RedisStreamEntry.ID(reply: run(.append(fields, toStream: key, keepingAbout: limit)))
    }

    /// XRANGE: entries from `first` to `last`, both included, oldest first, at most `limit`.
    public func entries(
        ofStream key: RedisKey, from first: RedisStreamEntry.ID? = nil, through last: RedisStreamEntry.ID? = nil,
        limit: Int = 1000
    ) async throws(RedisError) -> [RedisStreamEntry] {
        let start = first?.description ?? "-"
        let end = last?.description ?? "+"
        let reply = try await run(RedisCommand("XRANGE", key, start, end, "COUNT", limit))
        return try RedisStreamEntry.list(reply)
    }

    /// XLEN.
    public func length(ofStream key: RedisKey) async throws(RedisError) -> Int {
        try await count(RedisCommand("XLEN", key))
    }

    /// XTRIM MINID: removes the entries before `id`, at least approximately, and returns how many they were.
    @discardableResult
    public func trimStream(_ key: RedisKey, before id: RedisStreamEntry.ID) async throws(RedisError) -> Int {
        try await count(RedisCommand("XTRIM", key, "MINID", "~", id))
    }

    /// XDEL: how many of the entries there were.
    @discardableResult
    public func delete(_ ids: [RedisStreamEntry.ID], fromStream key: RedisKey) async throws(RedisError) -> Int {
        guard !ids.isEmpty else { return 0 }
        return try await count(RedisCommand("XDEL", [key] + ids))
    }

    /// XGROUP CREATE MKSTREAM: makes a group that reads from `start`, and the stream if need be;
    /// false where there is one.
    @discardableResult
    public func createGroup(
        _ group: String, ofStream key: RedisKey, from start: RedisGroupStart = .beginning
    ) async throws(RedisError) -> Bool {
        do {
            _ = try await run(.createGroup(group, ofStream: key, from: start))
            return true
        } catch  where error.code == "BUSYGROUP" {
            return false
        }
    }

    /// XACK: how many of the entries the group had pending.
    @discardableResult
    public func acknowledge(
        _ ids: [RedisStreamEntry.ID], ofStream key: RedisKey, group: String
    ) async throws(RedisError) -> Int {
        guard !ids.isEmpty else { return 0 }
        return try await count(.acknowledge(ids, ofStream: key, group: group))
    }

    /// XINFO GROUPS: how far each group has come; empty where there is no such stream.
    public func groups(ofStream key: RedisKey) async throws(RedisError) -> [RedisGroupState] {
        do {
            let groups = try await run(RedisCommand("XINFO", "GROUPS", key)).requireArray()
            return try groups.map { group throws(RedisError) in try RedisGroupState(group) }
        } catch  where error.code == "ERR" {
            return []
        }
    }

    /// XPENDING: the oldest entries that the group's consumers were given and have not acknowledged.
    public func pending(
        ofStream key: RedisKey, group: String, limit: Int = 100
    ) async throws(RedisError) -> [RedisPendingEntry] {
        let reply = try await run(RedisCommand("XPENDING", key, group, "-", "+", limit))
        return try reply.requireArray().map { entry throws(RedisError) in try RedisPendingEntry(entry) }
    }
}
