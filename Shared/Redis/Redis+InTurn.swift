extension Redis {
    /// Commands and bytes that `run(inTurn:)` lets wait for the server at once, but for one larger command: so few that
    /// the connection has room for them beside all else.
    public var slice: (commands: Int, bytes: Int) {
        (max(1, configuration.outstandingLimit / 16), configuration.outputLimit / 8)
    }

    /// Sends any number of commands in order, a slice at a time; what comes behind a slice in which one failed is not sent.
    ///
    /// - Returns: the outcomes in order: of all commands, or up to the end of the first slice in which one failed.
    public func run(inTurn commands: [RedisCommand]) async -> [Result<RedisValue, RedisError>] {
        await run(inTurn: commands) {}
    }

    /// The same, with something to do between two slices.
    ///
    /// - Parameters:
    ///   - limit: how long to wait for a slice; `commandTimeout` of the configuration when nil.
    ///   - pause: when it throws, no more is sent.
    public func run(
        inTurn commands: [RedisCommand], within limit: Duration? = nil, pause: () async throws -> Void
    ) async rethrows -> [Result<RedisValue, RedisError>] {
        var outcomes: [Result<RedisValue, RedisError>] = []
        while outcomes.count < commands.count {
            if !outcomes.isEmpty { try await pause() }
            let sent = await run(firstSlice(of: commands[outcomes.count...]), within: limit)
            outcomes += sent
            if sent.contains(where: \.isFailure) { break }
        }
        return outcomes
    }

    /// The first commands that fit into a slice, one at least.
    private func firstSlice(of commands: ArraySlice<RedisCommand>) -> [RedisCommand] {
        var bytes = 0
        return Array(
            commands.prefix(slice.commands).prefix { command in
                defer { bytes += command.size }
                return bytes == 0 || bytes + command.size <= slice.bytes
            })
    }
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
