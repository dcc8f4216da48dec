import Postgres
import Synchronization
import Wire

/// Reads for background jobs in a schema that is divided by workspace. While a part of it is out of reach, a job goes on in all other
/// parts.
///
/// A read of all parts comes first. If it fails, the parts are read one by one, for the workspaces that may have work. A table of the
/// coordinator lists them, also for an instance that starts meanwhile.
final class WorkspaceFinder: Sendable {
    /// A kind of work that has a list of workspaces. The raw value is stored.
    enum Work: String, Sendable, CaseIterable {
        case scheduled, webhooks
        /// Anything: all workspaces that have been heard of. None is ever removed, because rooms keep their rows.
        case rooms
    }

    /// A workspace with work that is due.
    struct DueWorkspace: Sendable {
        let workspace: WorkspaceID
        /// When the first of its work was due.
        let since: Int64

        /// Reads the columns workspace, due_at.
        init(row: inout Row) throws(PostgresError) {
            workspace = try row.next()
            since = try row.next()
        }
    }

    private let database: PostgresPool
    private let wide: WideReads
    private let limit: Duration
    /// Workspaces with new work, which may not be on the list yet.
    private let recent = Mutex<[Work: Set<WorkspaceID>]>([:])

    /// The coordinator answers it from its own catalogue.
    private static let parts = Statement.read(
        "parts of workspaces",
        """
        select array_agg(id) from unnest($1::bigint[]) as wanted (id)
        group by get_shard_id_for_distribution_column('room'::regclass, id)
        """)
    private static let list = Statement.read("busy workspaces", "select id from busy_workspace where work = $1")
    private static let add = Statement.write(
        "add busy workspaces",
        """
        insert into busy_workspace (work, id) select $1::text, id from unnest($2::bigint[]) as busy (id) order by id
        on conflict do nothing
        """)
    private static let remove = Statement.write(
        "remove busy workspaces", "delete from busy_workspace where work = $1 and id = any($2::bigint[])")
    private static let withScheduled = Statement.read(
        "workspaces with scheduled messages", "select distinct workspace from scheduled")
    private static let withRooms = Statement.read("workspaces with rooms", "select distinct workspace from room")
    /// Returns at most one row. Fails if the part is out of reach.
    private static let reach = Statement.read(
        "reach part of workspaces", "select 1 from room where workspace = any($1::bigint[]) limit 1")
    private static let withWebhooks = Statement.read(
        "workspaces with webhooks", "select distinct workspace from webhook_subscription")

    /// - Parameters:
    ///   - wide: a guard that calls of clients do not share, because a long read of a job must not make theirs wait.
    ///   - limit: the time limit of a read. A server that is out of reach may give no answer at all.
    init(
        database: PostgresPool, wide: WideReads = WideReads(isDivided: true), limit: Duration = .seconds(1)
    ) {
        self.database = database
        self.wide = wide
        self.limit = limit
    }

    /// Makes a read that needs all parts; nil if one of them is out of reach, or if no connection is free: calls may wait on all of them
    /// for a part without an answer, and a job that fails pauses for longer and longer.
    ///
    /// A transaction has a connection for itself, so that nothing else waits behind a part without an answer.
    func attempt<Value: Sendable>(_ read: (PostgresTransaction) async throws -> Value) async throws -> Value? {
        try await attempt(in: database.within(limit), read)
    }

    /// As `attempt`, for reads and writes that take longer: with the time limit of the pool.
    func attemptLong<Value: Sendable>(_ body: (PostgresTransaction) async throws -> Value) async throws -> Value? {
        try await attempt(in: database, body)
    }

    private func attempt<Value: Sendable>(
        in pool: PostgresPool, _ body: (PostgresTransaction) async throws -> Value
    ) async throws -> Value? {
        do {
            return try await wide.attempt { try await pool.transaction { tx in try await body(tx) } }
        } catch let error as PostgresError where error.kind == .exhausted {
            return nil
        }
    }

    /// Reads rows of all workspaces with some work. While a part is out of reach, its rows are missing.
    ///
    /// - Parameters:
    ///   - all: reads the rows of all workspaces.
    ///   - among: reads those of some workspaces, which are in one part.
    func find<Value: Sendable>(
        _ work: Work, all: (PostgresTransaction) async throws -> [Value],
        among: @escaping @Sendable (PostgresTransaction, [WorkspaceID]) async throws -> [Value]
    ) async throws -> [Value] {
        if let found = try await attempt(all) { return found }
        return try await find(in: try await list(of: work), among)
    }

    /// Reads rows of all workspaces as `find` does, and says whether none are missing.
    ///
    /// - Parameter others: workspaces that may not be on the list.
    func search<Value: Sendable>(
        _ work: Work, and others: Set<WorkspaceID>, all: (PostgresTransaction) async throws -> [Value],
        among: @escaping @Sendable (PostgresTransaction, [WorkspaceID]) async throws -> [Value]
    ) async throws -> (found: [Value], isComplete: Bool) {
        if let found = try await attempt(all) { return (found, true) }
        return (try await find(in: try await list(of: work).union(others), among), false)
    }

    /// Reads rows of some workspaces, of each part alone. Those of parts that are out of reach are missing.
    func find<Value: Sendable>(
        in workspaces: Set<WorkspaceID>,
        _ read: @escaping @Sendable (PostgresTransaction, [WorkspaceID]) async throws -> [Value]
    ) async throws -> [Value] {
        let parts = try await database.query(Self.parts, Array(workspaces)).map { row throws(PostgresError) in
            try row.next(as: [WorkspaceID].self)
        }
        let pool = database.within(limit)
        let found = try await wide.eachPart(of: parts) { part in
            try await pool.transaction { tx in try await read(tx, part) }
        }
        return Array(found.joined())
    }

    /// Those of some workspaces that are within reach.
    func reachable(among workspaces: Set<WorkspaceID>) async throws -> Set<WorkspaceID> {
        Set(
            try await find(in: workspaces) { tx, part in
                _ = try await tx.query(Self.reach, part)
                return part
            })
    }

    /// The time that a statement finds, of the next due work of all workspaces; nil for none, or if it is not known because a part is out
    /// of reach.
    ///
    /// - Parameter finder: nil for tables on one server.
    static func nextDue(
        by statement: Statement, in database: PostgresPool, with finder: WorkspaceFinder?
    ) async throws -> Timestamp? {
        let first: Int64? =
            if let finder {
                try await finder.attempt { tx in try await tx.query(statement).value(as: Int64?.self) } ?? nil
            } else {
                try await database.query(statement).value(as: Int64?.self)
            }
        return first.map { Timestamp(milliseconds: $0) }
    }

    // MARK: The lists

    /// A workspace may have new work. To be called after the commit, also if its outcome is unknown: a refresh that begins later finds it.
    func note(_ work: Work, in workspace: WorkspaceID) {
        _ = recent.withLock { $0[work, default: []].insert(workspace) }
    }

    /// Adds a workspace to a list at once, also for instances that start later.
    func add(_ workspace: WorkspaceID, to work: Work) async throws {
        try await database.execute(Self.add, work.rawValue, [workspace])
    }

    /// Brings the lists of due work up to date. While a part is out of reach, workspaces with new work are added, and none is removed.
    /// Noted workspaces with rooms are added to their list.
    func refresh() async throws {
        try await addNotedRooms()
        for work in Work.allCases where work != .rooms { try await refresh(work) }
    }

    /// Adds the workspaces with rooms to their list. That reads all rooms, so it is for seldom.
    ///
    /// - Returns: whether all rooms were read; false while a part is out of reach.
    @discardableResult
    func refreshRooms() async throws -> Bool { try await refresh(.rooms) }

    private func addNotedRooms() async throws {
        let noted = recent.withLock { $0[.rooms] ?? [] }
        if noted.isEmpty { return }
        try await database.execute(Self.add, Work.rooms.rawValue, Array(noted))
        recent.withLock { $0[.rooms]?.subtract(noted) }
    }

    /// Returns false if a part is out of reach.
    @discardableResult
    private func refresh(_ work: Work) async throws -> Bool {
        let noted = recent.withLock { $0.removeValue(forKey: work) ?? [] }
        var isDone = false
        defer { if !isDone { recent.withLock { $0[work, default: []].formUnion(noted) } } }
        // Before the search: a workspace that another instance adds during it is not taken for one without work.
        let known = try await stored(work)
        // It is seldom, and takes longer than other reads.
        let found = try await wide.attempt {
            try await database.transaction { tx in try await tx.query(Self.all(work)).map(Self.workspace) }
        }
        guard let found else {
            let added = noted.subtracting(known)
            if !added.isEmpty { try await database.execute(Self.add, work.rawValue, Array(added)) }
            return false
        }
        let added = Set(found).subtracting(known)
        let gone = work == .rooms ? [] : known.subtracting(found)
        if !added.isEmpty { try await database.execute(Self.add, work.rawValue, Array(added)) }
        if !gone.isEmpty { try await database.execute(Self.remove, work.rawValue, Array(gone)) }
        isDone = true
        return true
    }

    private static func all(_ work: Work) -> Statement {
        switch work {
        case .scheduled: withScheduled
        case .webhooks: withWebhooks
        case .rooms: withRooms
        }
    }

    /// The workspaces that may have some work.
    func list(of work: Work) async throws -> Set<WorkspaceID> {
        let known = try await stored(work)
        return recent.withLock { $0[work] ?? [] }.union(known)
    }

    private func stored(_ work: Work) async throws -> Set<WorkspaceID> {
        Set(try await database.query(Self.list, work.rawValue).map(Self.workspace))
    }

    private static func workspace(_ row: inout Row) throws(PostgresError) -> WorkspaceID { try row.next() }
}
