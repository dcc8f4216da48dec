internal import EventLoop
internal import Postgres
internal import Redis
internal import Telemetry
internal import Wire

/// Publishes the rows of an outbox to its Redis streams, in order, and keeps published rows for a while in case Redis
/// loses them.
///
/// Several instances may run it: a relay skips the rows that another one has locked. A row is published again if the
/// process ends between publishing it and marking it as published. All rows that are kept are published again if Redis
/// no longer has the entry that was published last, because it may have lost others as well.
struct OutboxRelay: Sendable {
    let database: PostgresPool
    let redis: Redis
    let streams: OutboxStreams
    /// Makes the commands that publish a row; the last one appends an entry to a stream.
    let commands: @Sendable (OutboxRow) async throws -> [RedisCommand]
    let statements: OutboxStatements
    /// The least age of a row that the relay publishes. Until then its writer may publish it.
    let grace: Duration
    let retention: OutboxRetention
    let signal: WakeSignal
    let log: Log

    private static let batch = 500
    private static let resetBatch = 5000
    /// The longest time for a batch. The rows published so far are marked then, even if rows of the batch are left.
    private static let batchDuration = Duration.seconds(2)
    /// The time-out of Redis for a slice. Rows with a later reply are published twice.
    private static let sliceTimeout = Duration.seconds(5)
    /// How long the relay sleeps without a signal. A writer may end before it signals.
    private static let pollInterval = Duration.seconds(1)
    private static let cleaningInterval = Duration.seconds(60)

    private static let keepAlive = Statement.read("keep outbox transaction alive", "select")
    private static let lastPublished = Statement.read(
        "last published outbox entries",
        "select entry from outbox where published_at is not null order by published_at desc, id desc limit $1")
    /// Each of several streams has an entry among so many, unless hardly anything is published.
    private static let checkedRows = 500

    /// Relays until cancelled.
    func run(on loop: EventLoop) async throws {
        var known: Int?
        var nextCleaning = loop.now
        while !Task.isCancelled {
            if case .connected(let generation) = redis.state {
                // Redis may have restarted empty, or failed over to a replica without the latest entries.
                if generation != known { try await resetIfRedisLostEntries() }
                known = generation
                while redis.state == .connected(generation: generation), try await relayBatches(on: loop),
                    !Task.isCancelled
                {}
                if loop.now >= nextCleaning {
                    nextCleaning = loop.now + Self.cleaningInterval.wholeNanoseconds
                    try await resetIfRedisLostEntries()
                    try await deleteOldRows()
                }
            }
            try await signal.sleep(atMost: Self.pollInterval, on: loop)
        }
    }

    /// Publishes the next rows, of each workspace if the outbox is divided, and returns whether there may be more.
    private func relayBatches(on loop: EventLoop) async throws -> Bool {
        guard let list = statements.workspaces else { return try await relayBatch(of: 0, on: loop) }
        let workspaces = try await database.query(list, Self.batch, grace.wholeMilliseconds)
            .map { row throws(PostgresError) in try row.next(as: Int64.self) }
        var mayBeMore = workspaces.count == Self.batch
        for workspace in workspaces {
            if try await relayBatch(of: workspace, on: loop) { mayBeMore = true }
        }
        return mayBeMore
    }

    /// Publishes the next rows and returns whether there may be more. Published rows are marked even if a later one
    /// fails.
    private func relayBatch(of workspace: Int64, on loop: EventLoop) async throws -> Bool {
        let (mayBeMore, failure) = try await database.transaction { tx in
            let rows = try await tx.query(statements.waiting, Self.batch, grace.wholeMilliseconds, workspace).map {
                row throws(PostgresError) in
                OutboxRow(id: try row.next(), type: try row.next(), body: try row.next())
            }
            let end = loop.now + Self.batchDuration.wholeNanoseconds
            var waiting = rows[...]
            var failure: (any Error)?
            while !waiting.isEmpty, failure == nil, loop.now < end {
                failure = try await publishSlice(of: &waiting, until: end, of: workspace, in: tx)
            }
            return (rows.count == Self.batch || !waiting.isEmpty, failure)
        }
        if let failure { throw failure }
        return mayBeMore
    }

    /// Publishes the first rows that fill a slice and marks those that were published.
    ///
    /// - Returns: the error of the first row that could not be published. The rows after it wait for it.
    private func publishSlice(
        of rows: inout ArraySlice<OutboxRow>, until end: UInt64, of workspace: Int64, in tx: PostgresTransaction
    ) async throws -> (any Error)? {
        var (slice, failure) = await nextSlice(of: &rows, until: end)
        // A large row may take a while, and the server ends a transaction that is idle for long.
        let outcomes = try await redis.runInBatches(slice.commands, within: Self.sliceTimeout) {
            try await tx.query(Self.keepAlive)
        }
        var published: (ids: [Int64], entries: [String]) = ([], [])
        do {
            for row in slice.rows {
                let replies = try outcomes[row.commands.clamped(to: outcomes.indices)].map { try $0.get() }
                guard let entry = replies.last?.text, let stream = slice.commands[row.commands].last?.key else {
                    throw RedisError.unexpectedReply("no entry of a stream")
                }
                published.ids.append(row.id)
                published.entries.append(streams.position(of: entry, in: stream))
            }
        } catch {
            failure = error
        }
        if !published.ids.isEmpty {
            try await tx.execute(statements.markPublished, published.ids, published.entries, workspace)
        }
        return failure
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

    /// Checks that each stream still has the entry that was published last. If not, all rows that are kept are published
    /// again.
    private func resetIfRedisLostEntries() async throws {
        let limit = streams.keys.count == 1 ? 1 : Self.checkedRows
        let latest = try await database.query(Self.lastPublished, limit).map { row throws(PostgresError) in
            try row.next(as: String.self)
        }
        var checked: Set<RedisKey> = []
        for (stream, id) in latest.compactMap(streams.place) where checked.insert(stream).inserted {
            guard try await redis.entries(ofStream: stream, from: id, through: id, limit: 1).isEmpty else { continue }
            let count = try await resetPublishedRows()
            return log.warning(
                "redis has lost outbox entries; they are published again",
                ["stream": .name(stream.name), "count": .count(count)])
        }
    }

    /// Marks all published rows as waiting, all or none: an entry that another instance publishes meanwhile would hide
    /// the loss from the next check. Each statement marks a limited number of rows, because the server limits the time
    /// of a statement.
    ///
    /// - Returns: the number of rows.
    private func resetPublishedRows() async throws -> Int {
        try await database.transaction { tx in
            var workspaces: [Int64] = [0]
            if let list = statements.publishedWorkspaces {
                workspaces = try await tx.query(list).map { row throws(PostgresError) in try row.next() }
            }
            var total = 0
            for workspace in workspaces { total += try await resetPublishedRows(of: workspace, in: tx) }
            return total
        }
    }

    private func resetPublishedRows(of workspace: Int64, in tx: PostgresTransaction) async throws -> Int {
        var (total, newest): (Int, Int64) = (0, 0)
        while true {
            let part = try await tx.query(statements.reset, newest, Self.resetBatch, workspace).only {
                row throws(PostgresError) in
                (count: Int(try row.next(as: Int64.self)), newest: try row.next(as: Int64.self))
            }
            if part.count == 0 { return total }
            (total, newest) = (total + part.count, part.newest)
        }
    }
}

/// A row of an outbox: a message that a service has committed to publish.
public struct OutboxRow: Sendable {
    public let id: Int64
    public let type: String
    /// JSON.
    public let body: String
}
