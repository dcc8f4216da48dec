extension RedisCommand {
    /// XADD; the server chooses the id.
    public static func append(
        _ fields: KeyValuePairs<String, any RedisArgument>, toStream key: RedisKey, keepingAbout limit: Int? = nil
    ) -> RedisCommand {
        append(fields.map { ($0.key, $0.value) }, toStream: key, keepingAbout: limit)
    }

    /// XADD with any number of fields; names may repeat.
    public static func append(
        _ fields: [(name: String, value: any RedisArgument)], toStream key: RedisKey, keepingAbout limit: Int? = nil
    ) -> RedisCommand {
        var arguments: [any RedisArgument] = [key]
        if let limit { arguments += ["MAXLEN", "~", limit] as [any RedisArgument] }
        arguments.append("*")
        for (name, value) in fields { arguments += [name, value] }
        return RedisCommand("XADD", arguments)
    }

    static func createGroup(_ group: String, ofStream key: RedisKey, from start: RedisGroupStart) -> RedisCommand {
        RedisCommand("XGROUP", "CREATE", key, group, start == .beginning ? "0" : "$", "MKSTREAM")
    }

    static func acknowledge(_ ids: [RedisStreamEntry.ID], ofStream key: RedisKey, group: String) -> RedisCommand {
        RedisCommand("XACK", [key, group] + ids)
    }
}
