internal import Wire

extension RedisStreamConsumer {
    /// Performs one step on `connection`.
    func perform(_ step: ConsumerSteps.Step, over connection: RedisConnection) async throws(RedisError) {
        do {
            switch step {
            case .createGroup: try await createGroup(over: connection)
            case .acknowledge(let ids):
                let command = RedisCommand.acknowledge(ids, ofStream: consumption.stream, group: consumption.group)
                _ = try await connection.run(command)
                steps.acknowledged()
            case .removeDeadConsumers: try await removeDeadConsumers(over: connection)
            case .readPending(let after): try await readPending(after: after, over: connection)
            case .claim(let cursor): try await claim(from: cursor, over: connection)
            case .readNew: try await readNew(over: connection)
            }
        } catch  where error.code == "NOGROUP" {
            steps.groupMissing()
        }
    }

    private func createGroup(over connection: RedisConnection) async throws(RedisError) {
        do {
            let command = RedisCommand.createGroup(
                consumption.group, ofStream: consumption.stream, from: consumption.start)
            _ = try await connection.run(command)
            observer(.groupCreated)
        } catch  where error.code == "BUSYGROUP" {}
        steps.groupCreated()
    }

    private func removeDeadConsumers(over connection: RedisConnection) async throws(RedisError) {
        let list = RedisCommand("XINFO", "CONSUMERS", consumption.stream, consumption.group)
        for reply in try await connection.run(list).requireArray() {
            let consumer = try RedisConsumerState(reply)
            let isDead = consumer.pending == 0 && consumer.idle > consumption.consumerRetention
            guard isDead, consumer.name != consumption.consumer else { continue }
            let removal: [any RedisArgument] = ["DELCONSUMER", consumption.stream, consumption.group, consumer.name]
            _ = try await connection.run(RedisCommand("XGROUP", removal))
        }
        steps.deadConsumersRemoved()
    }

    private func readPending(
        after id: RedisStreamEntry.ID, over connection: RedisConnection
    ) async throws(RedisError) {
        let entries = try await read("\(id)", [], within: nil, over: connection)
        steps.readPending(upTo: entries.last?.id)
        await handle(entries.compactMap(\.entry))
    }

    private func readNew(over connection: RedisConnection) async throws(RedisError) {
        let timeout = consumption.readTimeout
        let entries = try await read(
            ">", ["BLOCK", timeout.redisMilliseconds], within: timeout + connection.configuration.commandTimeout,
            over: connection)
        await handle(entries.compactMap(\.entry))
    }

    /// XREADGROUP; entries that were trimmed are acknowledged at once.
    private func read(
        _ after: String, _ waiting: [any RedisArgument], within limit: Duration?, over connection: RedisConnection
    ) async throws(RedisError) -> [ReadEntry] {
        let head: [any RedisArgument] = ["GROUP", consumption.group, consumption.consumer, "COUNT", consumption.batch]
        let tail: [any RedisArgument] = ["STREAMS", consumption.stream, after]
        let reply = try await connection.run(RedisCommand("XREADGROUP", head + waiting + tail), within: limit)
        guard let stream = try reply.requireArray().first else { return [] }
        let parts = try stream.requireArray()
        guard parts.count == 2 else { throw .unexpectedReply("not the entries of a stream") }
        return try readEntries(parts[1])
    }

    private func claim(from cursor: RedisStreamEntry.ID, over connection: RedisConnection) async throws(RedisError) {
        let arguments: [any RedisArgument] = [
            consumption.stream, consumption.group, consumption.consumer, consumption.idleLimit.redisMilliseconds,
            cursor, "COUNT", consumption.batch,
        ]
        let parts = try await connection.run(RedisCommand("XAUTOCLAIM", arguments)).requireArray()
        guard parts.count >= 2 else { throw .unexpectedReply("not the reply to XAUTOCLAIM") }
        steps.claimed(next: try RedisStreamEntry.ID(reply: parts[0]))
        // Redis 7 has removed these from the group already.
        for id in parts.count > 2 ? try parts[2].requireArray() : [] {
            observer(.trimmed(try RedisStreamEntry.ID(reply: id)))
        }
        await handle(try readEntries(parts[1]).compactMap(\.entry))
    }

    private func readEntries(_ reply: RedisValue) throws(RedisError) -> [ReadEntry] {
        var entries: [ReadEntry] = []
        for each in try reply.requireArray() {
            let read = try ReadEntry(each)
            entries.append(read)
            guard read.entry == nil else { continue }
            steps.handled(read.id)
            observer(.trimmed(read.id))
        }
        return entries
    }
}

/// An entry of a reply, which may have been deleted from the stream.
private struct ReadEntry {
    let id: RedisStreamEntry.ID
    let entry: RedisStreamEntry?

    init(_ reply: RedisValue) throws(RedisError) {
        entry = try RedisStreamEntry(reply)
        guard let name = try reply.requireArray().first else { throw .unexpectedReply("an entry without a name") }
        id = try RedisStreamEntry.ID(reply: name)
    }
}
