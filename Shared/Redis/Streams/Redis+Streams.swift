extension Redis {
    /// XADD: appends an entry and returns its id.
    ///
    /// - Parameter limit: the approximate number of entries to keep, the newest ones; nil keeps all.
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

    /// XLEN: the number of entries.
    public func length(ofStream key: RedisKey) async throws(RedisError) -> Int {
        try await count(RedisCommand("XLEN", key))
    }

    /// XTRIM MINID: removes entries before `id`, approximately, and returns the number removed.
    @discardableResult
    public func trimStream(_ key: RedisKey, before id: RedisStreamEntry.ID) async throws(RedisError) -> Int {
        try await count(RedisCommand("XTRIM", key, "MINID", "~", id))
    }

    /// XDEL: returns the number of entries that existed.
    @discardableResult
    public func delete(_ ids: [RedisStreamEntry.ID], fromStream key: RedisKey) async throws(RedisError) -> Int {
        guard !ids.isEmpty else { return 0 }
        return try await count(RedisCommand("XDEL", [key] + ids))
    }

    /// XGROUP CREATE MKSTREAM: creates a group that reads from `start`, and the stream if it does not exist; returns
    /// false if the group exists.
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

    /// XACK: returns the number of entries that were pending.
    @discardableResult
    public func acknowledge(
        _ ids: [RedisStreamEntry.ID], ofStream key: RedisKey, group: String
    ) async throws(RedisError) -> Int {
        guard !ids.isEmpty else { return 0 }
        return try await count(.acknowledge(ids, ofStream: key, group: group))
    }

    /// XINFO GROUPS: the state of each group; empty if the stream does not exist.
    public func groups(ofStream key: RedisKey) async throws(RedisError) -> [RedisGroupState] {
        do {
            let groups = try await run(RedisCommand("XINFO", "GROUPS", key)).requireArray()
            return try groups.map { group throws(RedisError) in try RedisGroupState(group) }
        } catch  where error.code == "ERR" {
            return []
        }
    }

    /// XINFO CONSUMERS: the state of each consumer; empty if the stream or the group does not exist.
    public func consumers(ofStream key: RedisKey, group: String) async throws(RedisError) -> [RedisConsumerState] {
        do {
            let consumers = try await run(RedisCommand("XINFO", "CONSUMERS", key, group)).requireArray()
            return try consumers.map { consumer throws(RedisError) in try RedisConsumerState(consumer) }
        } catch  where error.code == "ERR" || error.code == "NOGROUP" {
            return []
        }
    }

    /// XGROUP DESTROY: deletes a group with its pending entries; returns false if the group does not exist.
    @discardableResult
    public func deleteGroup(_ group: String, ofStream key: RedisKey) async throws(RedisError) -> Bool {
        do {
            return try await count(RedisCommand("XGROUP", "DESTROY", key, group)) == 1
        } catch  where error.code == "ERR" {
            return false
        }
    }

    /// XPENDING: the oldest entries that consumers of the group were given and have not acknowledged.
    public func pending(
        ofStream key: RedisKey, group: String, limit: Int = 100
    ) async throws(RedisError) -> [RedisPendingEntry] {
        let reply = try await run(RedisCommand("XPENDING", key, group, "-", "+", limit))
        return try reply.requireArray().map { entry throws(RedisError) in try RedisPendingEntry(entry) }
    }
}
