extension Redis {
    /// The commands and bytes that `runInBatches(_:)` sends at once, except a single larger command: few enough to leave
    /// space for the other commands of the connection.
    public var batchLimits: (commands: Int, bytes: Int) {
        (max(1, configuration.outstandingLimit / 16), configuration.outputLimit / 8)
    }

    /// Sends any number of commands in order, a limited batch at a time; after a batch with a failure no more are sent.
    ///
    /// - Returns: the outcomes in order: of all commands, or up to the end of the first batch with a failure.
    public func runInBatches(_ commands: [RedisCommand]) async -> [Result<RedisValue, RedisError>] {
        await runInBatches(commands) {}
    }

    /// Sends any number of commands in order, a limited batch at a time, and calls `pause` between two batches.
    ///
    /// - Parameters:
    ///   - limit: the time-out of a batch; by default the `commandTimeout` of the configuration.
    ///   - pause: if it throws, no more commands are sent.
    public func runInBatches(
        _ commands: [RedisCommand], within limit: Duration? = nil, pause: () async throws -> Void
    ) async rethrows -> [Result<RedisValue, RedisError>] {
        var outcomes: [Result<RedisValue, RedisError>] = []
        while outcomes.count < commands.count {
            if !outcomes.isEmpty { try await pause() }
            let sent = await run(firstBatch(of: commands[outcomes.count...]), within: limit)
            outcomes += sent
            if sent.contains(where: \.isFailure) { break }
        }
        return outcomes
    }

    /// The first commands that fit into a batch, at least one.
    private func firstBatch(of commands: ArraySlice<RedisCommand>) -> [RedisCommand] {
        var bytes = 0
        return Array(
            commands.prefix(batchLimits.commands).prefix { command in
                defer { bytes += command.size }
                return bytes == 0 || bytes + command.size <= batchLimits.bytes
            })
    }
}

extension Result {
    var isFailure: Bool { if case .failure = self { true } else { false } }
}
