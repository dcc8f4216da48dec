internal import EventLoop
internal import Postgres
internal import Redis
internal import Wire

/// Publishes the rows of an outbox to its Redis streams, in order, and keeps published rows for a while in case Redis
/// loses them.
///
/// Several instances may run it: a relay skips the rows that another one has locked. A row is published again if the
/// process ends between publishing it and marking it as published. All rows that are kept are published again if Redis
/// no longer has the entry that was published last, because it may have lost others as well: see `LostEntryCheck`.
struct OutboxRelay: Sendable {
    let lostEntries: LostEntryCheck
    /// Makes the commands that publish a row; the last one appends an entry to a stream.
    let commands: @Sendable (OutboxRow) async throws -> [RedisCommand]
    /// The least age of a row that the relay publishes. Until then its writer may publish it.
    let grace: Duration
    let retention: OutboxRetention
    let signal: WakeSignal

    private static let batch = 500
    /// The longest time for a batch. The rows published so far are marked then, even if rows of the batch are left.
    private static let batchDuration = Duration.seconds(2)
    /// The time-out of Redis for a slice. Rows with a later reply are published twice.
    private static let sliceTimeout = Duration.seconds(5)
    /// How long the relay sleeps without a signal. A writer may end before it signals.
    private static let pollInterval = Duration.seconds(1)
    private static let cleaningInterval = Duration.seconds(60)
    /// The pause between looks for parts that were out of reach.
    private static let unseenInterval = Duration.seconds(5)

    private static let keepAlive = Statement.read("keep outbox transaction alive", "select")

    var database: PostgresPool { lostEntries.database }
    var redis: Redis { lostEntries.redis }
    var streams: OutboxStreams { lostEntries.streams }
    var statements: OutboxStatements { lostEntries.statements }
    var parts: (any OutboxParts)? { lostEntries.parts }

    /// Relays until cancelled.
    func run(on loop: EventLoop) async throws {
        var (nextCleaning, nextUnseen) = (loop.now, loop.now)
        while !Task.isCancelled {
            // Redis may have restarted empty, or failed over to a replica without the latest entries.
            await lostEntries.runWaiting()
            let connections = redis.state
            if lostEntries.covers(connections, on: loop) {
                if loop.now >= nextUnseen {
                    nextUnseen = loop.now + Self.unseenInterval.wholeNanoseconds
                    try await lostEntries.checkUnseen()
                }
                while redis.state == connections, try await relayBatches(by: connections, on: loop), !Task.isCancelled {
                    await lostEntries.runWaiting()
                }
                if loop.now >= nextCleaning {
                    nextCleaning = loop.now + Self.cleaningInterval.wholeNanoseconds
                    try await lostEntries.repair()
                    try await deleteOldRows()
                }
            }
            try await signal.sleep(atMost: Self.pollInterval, on: loop)
        }
    }

    /// Publishes the next rows, of each workspace if the outbox is divided, and returns whether there may be more. If the rows of one
    /// workspace are out of reach on several servers, the others are published; the first failure is thrown at the end.
    private func relayBatches(by connections: RedisState, on loop: EventLoop) async throws -> Bool {
        guard let list = statements.workspaces else { return try await relayBatch(of: 0, by: connections, on: loop) }
        var workspaces = try await waitingWorkspaces(list)
        var mayBeMore = workspaces.count == Self.batch
        var failure: PostgresError?
        while let workspace = workspaces.popFirst() {
            do {
                if try await relayBatch(of: workspace, by: connections, on: loop) { mayBeMore = true }
            } catch let error as PostgresError {
                // On one server each of the others would fail as well.
                guard let parts, !Task.isCancelled else { throw error }
                // Each of the others would wait for a server that gives no answer.
                if failure == nil {
                    let reachable = Set(try await parts.reachable(among: Set(workspaces)).joined())
                    workspaces = workspaces.filter(reachable.contains)[...]
                }
                failure = failure ?? error
            }
            // The check for another loop, and with it the marks of that loop, must not wait for hundreds of workspaces.
            await lostEntries.runWaiting()
        }
        if let failure { throw failure }
        return mayBeMore
    }

    /// The workspaces with rows to publish. While a part of a divided outbox is out of reach, its are missing.
    private func waitingWorkspaces(_ list: Statement) async throws -> ArraySlice<Int64> {
        let age = grace.wholeMilliseconds
        guard let parts else {
            return try await database.query(list, Self.batch, age).map(LostEntryCheck.workspace)[...]
        }
        let all = try await parts.attempt { tx in
            try await tx.query(list, Self.batch, age).map(LostEntryCheck.workspace)
        }
        if let all { return all[...] }
        let found = try await parts.find(among: try await parts.workspacesWithRows()) { tx, part in
            let rows = try await tx.query(OutboxPartStatements.workspaces, Self.batch, age, part)
            return try rows.map { row throws(PostgresError) in
                (workspace: try row.next(as: Int64.self), first: try row.next(as: Int64.self))
            }
        }
        return found.sorted { $0.first < $1.first }.prefix(Self.batch).map(\.workspace)[...]
    }

    /// Publishes the next rows and returns whether there may be more. Published rows are marked even if a later one
    /// fails.
    private func relayBatch(
        of workspace: Int64, by connections: RedisState, on loop: EventLoop
    ) async throws -> Bool {
        let (mayBeMore, published, failure) = try await database.transaction { tx in
            let rows = try await tx.query(statements.waiting, Self.batch, grace.wholeMilliseconds, workspace).map {
                row throws(PostgresError) in
                OutboxRow(workspace: workspace, id: try row.next(), type: try row.next(), body: try row.next())
            }
            let end = loop.now + Self.batchDuration.wholeNanoseconds
            var waiting = rows[...]
            var published = PublishedRows()
            var failure: (any Error)?
            while !waiting.isEmpty, failure == nil, loop.now < end {
                let slice = try await publishSlice(of: &waiting, until: end, of: workspace, by: connections, in: tx)
                published.add(slice.published)
                failure = slice.failure
            }
            return (rows.count == Self.batch || !waiting.isEmpty, published, failure)
        }
        try await lostEntries.confirm(published, of: workspace, appendedBy: connections)
        if let failure { throw failure }
        return mayBeMore
    }

    /// Publishes the first rows that fill a slice and marks those that were published.
    ///
    /// - Returns: the rows, and the error of the first row that could not be published. The rows after it wait for it.
    private func publishSlice(
        of rows: inout ArraySlice<OutboxRow>, until end: UInt64, of workspace: Int64, by connections: RedisState,
        in tx: PostgresTransaction
    ) async throws -> (published: PublishedRows, failure: (any Error)?) {
        var (slice, failure) = await nextSlice(of: &rows, until: end)
        // A large row may take a while, and the server ends a transaction that is idle for long.
        let outcomes = try await redis.runInBatches(slice.commands, within: Self.sliceTimeout) {
            try await tx.query(Self.keepAlive)
        }
        var published = PublishedRows()
        do {
            // A server that came back while the rows were made may have lost others, and these marks would hide it.
            guard redis.state == connections else { throw RedisError.connectionLost("before the rows were published") }
            for row in slice.rows {
                let replies = try outcomes[row.commands.clamped(to: outcomes.indices)].map { try $0.get() }
                guard let entry = replies.last?.text, let stream = slice.commands[row.commands].last?.key else {
                    throw RedisError.unexpectedReply("no entry of a stream")
                }
                published.add(row.id, streams.position(of: entry, in: stream))
            }
        } catch {
            failure = error
        }
        if !published.isEmpty {
            try await tx.execute(statements.markPublished, published.ids, published.entries, workspace)
        }
        return (published, failure)
    }

    /// The commands that publish some rows, and the range of the commands of each row.
    private struct Slice {
        var commands: [RedisCommand] = []
        var rows: [(id: Int64, commands: Range<Int>)] = []
    }

    /// Other services may be asked for a row, and the server ends a transaction that is idle for long: so it takes at least one row,
    /// and further ones until a moment.
    private func nextSlice(
        of rows: inout ArraySlice<OutboxRow>, until end: UInt64
    ) async -> (Slice, failure: (any Error)?) {
        var slice = Slice()
        var size = 0
        let limits = redis.batchLimits
        while slice.commands.count < limits.commands, size < limits.bytes,
            slice.rows.isEmpty || EventLoop.preciseNow < end, let row = rows.popFirst()
        {
            do {
                let commands = try await commands(row)
                slice.rows.append((row.id, slice.commands.count..<slice.commands.count + commands.count))
                slice.commands += commands
                size += commands.lazy.map(\.size).reduce(0, +)
            } catch {
                return (slice, error)
            }
        }
        return (slice, nil)
    }
}

/// A row of an outbox: a message that a service has committed to publish.
public struct OutboxRow: Sendable {
    /// Its workspace in a divided outbox; 0 in one that is whole.
    public let workspace: Int64
    public let id: Int64
    public let type: String
    /// JSON.
    public let body: String
}
