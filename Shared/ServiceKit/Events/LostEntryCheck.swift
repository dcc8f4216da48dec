public import EventLoop
internal import Postgres
public import Redis
internal import Synchronization
internal import Telemetry

/// Looks for entries of an outbox that Redis has lost, and knows by which connections it has looked.
///
/// It looks for the entries of the rows that were published last. The mark of a row that is published after a loss hides that loss. A
/// server that loses data ends its connections. So two rules hold, and neither needs a clock:
///
/// - A row is marked only if a check has ended by the connections that appended its entry: see `covers(_:on:)`.
/// - A mark that is stored after its server was lost may be too late for the check. Its row waits again: see `confirm`.
public final class LostEntryCheck: Sendable {
    let database: PostgresPool
    let redis: Redis
    let streams: OutboxStreams
    let statements: OutboxStatements
    /// Nil for tables on one server.
    let parts: (any OutboxParts)?
    private let loops: LoopLocal<EventLoop>
    let log: Log
    let progress = Mutex(Progress())

    struct Progress {
        /// The state of a loop's connections in its last complete check, by the loop's index.
        var checked: [Int: RedisState] = [:]
        /// The loops with new connections, by their indices.
        var waiting: Set<Int> = []
        /// Workspaces that checks have left out, because their part was out of reach.
        var unseen: Set<Int64> = []
        /// The newest entry of each stream that the first of these checks has found there. None after a loss, or a check by new
        /// connections: another process may have published again what Redis has lost.
        var found: [RedisKey: RedisStreamEntry.ID] = [:]
    }

    private static let resetBatch = 5000
    /// Each of several streams has an entry among so many, unless hardly anything is published.
    static let checkedRows = 500
    /// The time for the servers' answers. They are asked again after it, and after a pause if a command cannot be queued.
    private static let answerTimeout = Duration.seconds(5)
    private static let pauseBetweenQuestions = Duration.milliseconds(50)

    static let lastPublished = Statement.read(
        "last published outbox entries",
        "select entry from outbox where published_at is not null order by published_at desc, id desc limit $1")

    init(
        database: PostgresPool, redis: Redis, streams: OutboxStreams, statements: OutboxStatements,
        parts: (any OutboxParts)?, on loops: EventLoopGroup, log: Log
    ) {
        self.database = database
        self.redis = redis
        self.streams = streams
        self.statements = statements
        self.parts = parts
        self.loops = LoopLocal(loops) { $0 }
        self.log = log
    }

    // MARK: Marks

    /// Whether a check has ended by the connections of `loop`, and they are still those of `state`. To be called on `loop`.
    public func covers(_ state: RedisState, on loop: EventLoop) -> Bool {
        guard state.isConnected, redis.state == state else { return false }
        return progress.withLock { $0.checked[loop.index] == state }
    }

    /// To be called after rows were marked, on the loop that appended their entries by connections in `state`. If the servers do not
    /// answer by these connections any more, the rows wait again.
    ///
    /// An answer shows that the server had the entries when the marks were stored. Every check after a later loss sees them.
    public func confirm(_ rows: PublishedRows, of workspace: Int64, appendedBy state: RedisState) async throws {
        guard !rows.isEmpty, await !isAnswered(by: state) else { return }
        try await publishAgain(rows, of: workspace)
    }

    /// Whether all servers answer by the connections in `state`, which are those of the calling loop.
    ///
    /// A full queue and a late answer say nothing about the entries, and more work would not help a busy server. So the servers are
    /// asked again until they answer or the connections are lost.
    public func isAnswered(by state: RedisState) async -> Bool {
        while redis.state == state {
            let answers = await redis.runOnEachServer(RedisCommand("PING"), within: Self.answerTimeout)
            let failures = answers.compactMap { answer -> RedisError? in
                if case .failure(let error) = answer { error } else { nil }
            }
            if failures.isEmpty { return redis.state == state }
            guard failures.allSatisfy({ $0 == .overloaded || $0 == .timedOut }) else { return false }
            do { try await loops.current.sleep(for: Self.pauseBetweenQuestions) } catch { return false }
        }
        return false
    }

    /// The rows of a workspace wait again if they still have these entries.
    public func publishAgain(_ rows: PublishedRows, of workspace: Int64) async throws {
        try await database.execute(statements.publishAgain, rows.ids, rows.entries, workspace)
    }

    // MARK: Checks

    /// The connections of the calling loop are new, so a check has to look by them.
    func noteConnection() {
        let index = loops.current.index
        progress.withLock { _ = $0.waiting.insert(index) }
    }

    /// Looks by all new connections, of one loop after the other, so that lost rows are published again once. A check that fails is repeated
    /// by the next call.
    func runWaiting() async {
        let waiting = progress.withLock { progress in
            defer { progress.waiting = [] }
            return progress.waiting
        }
        for index in waiting.sorted() {
            do {
                try await run(on: loops.all[index])
            } catch {
                progress.withLock { _ = $0.waiting.insert(index) }
                if Task.isCancelled { return }
                log.warning("the check for lost outbox entries failed and will be retried", ["cause": .cause(error)])
            }
        }
    }

    private func run(on loop: EventLoop) async throws {
        try await loop.run { [self] in
            let state = redis.state
            // The next connections are noted as well.
            guard state.isConnected else { return }
            try await repair(areNew: true)
            guard redis.state == state else { return }
            progress.withLock { $0.checked[loop.index] = state }
        }
    }

    /// Checks that each stream still has the entry that was published last. If not, all rows that are kept are published
    /// again. Rows of a part that is out of reach are left out: see `checkUnseen`.
    ///
    /// - Parameter areNew: whether no check has ended by the connections.
    func repair(areNew: Bool = false) async throws {
        let limit = streams.keys.count == 1 ? 1 : Self.checkedRows
        let (latest, unseen) = try await lastPublished(atMost: limit)
        let isFirst = progress.withLock { progress in
            let isFirst = progress.unseen.isEmpty
            if isFirst || areNew { progress.found = [:] }
            progress.unseen.formUnion(unseen)
            return isFirst
        }
        var found: [RedisKey: RedisStreamEntry.ID] = [:]
        var checked: Set<RedisKey> = []
        for (stream, id) in latest.compactMap(streams.place) where checked.insert(stream).inserted {
            if try await has(id, in: stream) {
                found[stream] = id
                continue
            }
            progress.withLock { $0.found = [:] }
            let count = try await resetPublishedRows()
            return log.warning(
                "redis has lost outbox entries; they are published again",
                ["stream": .name(stream.name), "count": .count(count)])
        }
        if isFirst, !areNew { progress.withLock { $0.found = found } }
    }

    func has(_ entry: RedisStreamEntry.ID, in stream: RedisKey) async throws -> Bool {
        try await !redis.entries(ofStream: stream, from: entry, through: entry, limit: 1).isEmpty
    }

    /// The entries that were published last, and the workspaces that are out of reach.
    private func lastPublished(atMost limit: Int) async throws -> (entries: [String], unseen: Set<Int64>) {
        if let parts { return try await lastPublished(atMost: limit, in: parts) }
        return (try await database.query(Self.lastPublished, limit).map(Self.entry), [])
    }

    /// Reads the column entry.
    static func entry(_ row: inout Row) throws(PostgresError) -> String { try row.next() }

    /// Reads the column workspace.
    static func workspace(_ row: inout Row) throws(PostgresError) -> Int64 { try row.next() }

    /// Marks all published rows as waiting, all or none: an entry that another instance publishes meanwhile would hide
    /// the loss from the next check. Each statement marks a limited number of rows, because the server limits the time
    /// of a statement. Rows of a part that is out of reach stay as they are: see `checkUnseen`.
    ///
    /// - Returns: the number of rows.
    private func resetPublishedRows() async throws -> Int {
        var reachable: [Int64]?
        if let parts { reachable = try await publishedWorkspaces(in: parts) }
        return try await database.transaction { [reachable] tx in
            var workspaces: [Int64] = reachable ?? [0]
            if reachable == nil, let list = statements.publishedWorkspaces {
                workspaces = try await tx.query(list).map(Self.workspace)
            }
            var total = 0
            for workspace in workspaces { total += try await resetPublishedRows(of: workspace, in: tx) }
            return total
        }
    }

    func resetPublishedRows(of workspace: Int64, in tx: PostgresTransaction) async throws -> Int {
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
