public import Contract
public import Postgres
public import Redis

extension ServiceBuilder {
    /// The outbox in `database` for facts of type `F`, relayed to their stream.
    public func outbox<F: Fact>(of _: F.Type, in database: PostgresPool, to redis: Redis) -> Outbox {
        let stream = RedisKey(F.stream)
        let streams = OutboxStreams(stream)
        let signal = relayOutbox(of: database, to: redis, streams: streams, grace: .zero, retention: .day) { row in
            [row.appendingFact(to: stream)]
        }
        return Outbox(database: database, signal: signal, source: F.source)
    }

    /// The check for lost entries of the outbox in `database`. It runs once it is given to `relayOutbox`.
    ///
    /// - Parameters:
    ///   - isDivided: whether the outbox is divided by workspace. Then it has a column with the workspace.
    ///   - parts: reads the parts of an outbox that is divided over several servers; nil for one server.
    public func lostEntryCheck(
        of database: PostgresPool, to redis: Redis, streams: OutboxStreams, isDivided: Bool = false,
        parts: (any OutboxParts)? = nil
    ) -> LostEntryCheck {
        LostEntryCheck(
            database: database, redis: redis, streams: streams, statements: .of(isDivided: isDivided), parts: parts,
            on: loops, log: log)
    }

    /// Relays the rows of the outbox in `database` to `streams`.
    ///
    /// - Parameters:
    ///   - grace: how long the relay leaves a row to its writer before it publishes the row itself.
    ///   - retention: how long a row and its entry are kept.
    ///   - isDivided: whether the outbox is divided by workspace. Then it has a column with the workspace.
    ///   - commands: makes the commands that publish a row; the last one appends an entry to one of `streams`.
    /// - Returns: the signal that makes the relay look for rows at once.
    @discardableResult
    public func relayOutbox(
        of database: PostgresPool, to redis: Redis, streams: OutboxStreams, grace: Duration, retention: OutboxRetention,
        isDivided: Bool = false, commands: @escaping @Sendable (OutboxRow) async throws -> [RedisCommand]
    ) -> WakeSignal {
        relayOutbox(
            checkedBy: lostEntryCheck(of: database, to: redis, streams: streams, isDivided: isDivided), grace: grace,
            retention: retention, commands: commands)
    }

    /// Relays the rows of an outbox with writers that mark rows as well, and ask `lostEntries` before.
    @discardableResult
    public func relayOutbox(
        checkedBy lostEntries: LostEntryCheck, grace: Duration, retention: OutboxRetention,
        commands: @escaping @Sendable (OutboxRow) async throws -> [RedisCommand]
    ) -> WakeSignal {
        let signal = WakeSignal()
        // After a restart, Redis may have lost the latest entries.
        lostEntries.redis.observe { [weak lostEntries] state in
            guard state.isConnected else { return }
            lostEntries?.noteConnection()
            signal.wake()
        }
        let relay = OutboxRelay(
            lostEntries: lostEntries, commands: commands, grace: grace, retention: retention, signal: signal)
        background("outbox relay") { try await relay.run(on: $0) }
        queue("outbox", length: relay.length)
        return signal
    }
}
