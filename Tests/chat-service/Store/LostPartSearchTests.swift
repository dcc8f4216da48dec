import Contract
import EventLoop
import Postgres
import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Search index while a part of a divided schema is out of reach", .serialized)
struct LostPartSearchTests {
    private static let tables = ["room", "search_progress", "search_message", "message", "message_change", "reaction"]
    /// Older than the messages that a search leaves to the indexer.
    private static let time = (Timestamp.now - .seconds(60)).milliseconds

    /// Each workspace has a message that is not indexed.
    private static let messages = """
        insert into parts.message (workspace, kind, room, seq, author, session, content, files, created_at)
            select w, 1, w, 1, 1, 1, 'meeting', '{}', \(time) from generate_series(3, 7) w;
        insert into parts.search_partition values (\(period)), (\(period + 1));
        insert into parts.search_message (created_at, workspace, room, seq, kind, grams)
            select period * \(SearchPartitions.length), 0, 0, 0, 0, '{}' from parts.search_partition;
        insert into parts.busy_workspace select 'rooms', w from generate_series(3, 7) w
        """
    private static var period: Int64 { SearchPartitions.period(of: Timestamp(milliseconds: time)) }

    private static func room(of workspace: WorkspaceID) -> RoomKey {
        RoomKey(workspace: workspace, id: RoomID(ChannelID(workspace.rawValue)))
    }

    /// The name of the part of the marks.
    private static func marks(in database: ChatDatabase) async throws -> String {
        let part = try await database.ask(
            "select parts.get_shard_id_for_distribution_column('parts.search_message', 0)")
        return "search_message_p\(part)"
    }

    private static func part(of workspace: WorkspaceID, in database: ChatDatabase) async throws -> String {
        try await database.ask(
            "select tableoid::regclass from parts.room where workspace = \(workspace)"
        ).replacing("parts.", with: "").replacing("room", with: "search_message")
    }

    /// Calls `body` with an indexer that runs.
    private static func indexing(
        _ database: ChatDatabase, finder: WorkspaceFinder, log: Log,
        _ body: @escaping @Sendable (SearchIndexer, PostgresPool) async throws -> Void
    ) async throws {
        try await database.run { pool in
            let indexer = SearchIndexer(
                store: SearchIndexStore(database: pool.within(.seconds(7)), finder: finder),
                partitions: SearchPartitions(database: pool, isDivided: true, finder: finder),
                metrics: SearchMetrics(MetricsRegistry(for: database.loops[0])), log: log, share: 1)
            let loop = try #require(EventLoop.current)
            let run = Task(executorPreference: loop) { try await indexer.run(on: loop) }
            defer { run.cancel() }
            try await body(indexer, pool)
        }
    }

    /// Waits until a search in a workspace could find so many messages.
    private static func untilIndexed(
        _ count: Int, in workspace: WorkspaceID, _ database: ChatDatabase
    ) async throws {
        try await eventually(within: .seconds(60), "\(count) entries of workspace \(workspace)") {
            try await database.ask("select count(*) from parts.search_message where workspace = \(workspace)")
                == "\(count)"
        }
    }

    @Test("Messages of the other parts are indexed, and searches there are complete, also without the marks")
    func others() async throws {
        let file = LogFile()
        try await WorkspaceFinderTests.use(Self.messages) { database in
            let marks = try await Self.marks(in: database)
            let own = try await Self.part(of: WorkspaceID(3), in: database)
            try #require(own != marks)
            try await WorkspaceFinderTests.losing(Self.tables, and: [marks], in: database) { reachable in
                let finder = WorkspaceFinderTests.finder(database)
                try await Self.indexing(database, finder: finder, log: file.log(.error)) { indexer, pool in
                    try await Self.untilIndexed(1, in: WorkspaceID(3), database)
                    for workspace in reachable where try await Self.part(of: workspace, in: database) != marks {
                        try await Self.untilIndexed(1, in: workspace, database)
                    }
                    _ = try await database.ask(
                        """
                        insert into parts.message
                            (workspace, kind, room, seq, author, session, content, files, created_at)
                            values (3, 1, 3, 2, 1, 1, 'next', '{}', \(Self.time));
                        update parts.room set last_seq = 2 where workspace = 3
                        """)
                    let store = SearchStore(database: pool, marks: WideReads(isDivided: true))
                    indexer.wake(for: [Self.room(of: WorkspaceID(3))])
                    try await Self.untilIndexed(2, in: WorkspaceID(3), database)
                    let isComplete = try await store.isComplete(
                        for: [RoomID(ChannelID(3))], of: WorkspaceID(3),
                        until: SearchDeadline(after: .seconds(60).patiently))
                    #expect(isComplete == true)
                }
            }
        }
    }

    @Test("A new message is indexed while a look waits for a part that gives no answer")
    func duringLook() async throws {
        let file = LogFile()
        try await WorkspaceFinderTests.use(Self.messages) { database in
            try await WorkspaceFinderTests.losing(["room", "search_progress"], in: database) { _ in
                let patient = WorkspaceFinder(database: database.pools[0].within(.seconds(6000)))
                try await Self.indexing(database, finder: patient, log: file.log(.error)) { indexer, _ in
                    try await eventually("a look that waits") {
                        try await database.ask(
                            """
                            select count(*) from pg_stat_activity where wait_event_type = 'Lock'
                                and datname = current_database() and query like '%search_progress%'
                            """) == "1"
                    }
                    indexer.wake(for: [Self.room(of: WorkspaceID(3))])
                    try await Self.untilIndexed(1, in: WorkspaceID(3), database)
                }
            }
        }
    }

    @Test("S1 A loss of entries is not forgotten if the rooms cannot begin anew because a part is out of reach")
    func lossMeanwhile() async throws {
        try await WorkspaceFinderTests.use(Self.messages) { database in
            _ = try await database.ask("delete from parts.search_message where workspace = 0")
            @Sendable func refresh() async throws -> (lost: Int, isKnown: Bool) {
                let finder = WorkspaceFinderTests.finder(database)
                return try await database.run { pool in
                    let partitions = SearchPartitions(database: pool, isDivided: true, finder: finder)
                    return (try await partitions.refresh(), partitions.has(Timestamp(milliseconds: Self.time)))
                }
            }
            try await WorkspaceFinderTests.losing(["search_progress"], in: database) { _ in
                let (lost, isKnown) = try await refresh()
                #expect(lost == 0)
                // An unknown partition would be made again, with its mark.
                #expect(isKnown)
            }
            #expect(try await refresh().lost == 2)
        }
    }

    @Test("A part that is lost during a step keeps no message of the other parts from the index")
    func duringStep() async throws {
        try await WorkspaceFinderTests.use(Self.messages) { database in
            try await WorkspaceFinderTests.losing(Self.tables, in: database) { reachable in
                let finder = WorkspaceFinderTests.finder(database)
                let rooms = (Int64(3)...7).map { Self.room(of: WorkspaceID($0)) }
                let step = try await database.run { pool in
                    try await SearchIndexStore(database: pool.within(.seconds(60).patiently), finder: finder)
                        .advance(rooms, limit: 9) { _ in true }
                }
                #expect(step.messages == reachable.count)
                #expect(Set(step.failed.map(\.workspace)) == Set(rooms.map(\.workspace)).subtracting(reachable))
                #expect(step.failure?.isOutageOfStore == true)
            }
        }
    }
}
