import Contract
import Postgres
import ServiceKit
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Background jobs while a part of a divided schema is out of reach", .serialized)
struct WorkspaceFinderTests {
    private static let workspaces = (Int64(3)...7).map { WorkspaceID($0) }

    /// A slow machine may need some time for the reads, and does not reach the end of the pause.
    static func finder(_ database: ChatDatabase) -> WorkspaceFinder {
        WorkspaceFinder(
            database: database.pools[0], wide: WideReads(isDivided: true, pause: .seconds(600)),
            limit: .seconds(60).patiently)
    }

    /// Calls `body` with a schema in parts that has a channel with a message in each workspace.
    static func use(_ sql: String, _ body: (ChatDatabase) async throws -> Void) async throws {
        let database = try await ChatDatabase(pools: 2, schema: "parts,chat")
        try await database.lent { database in
            try await database.divide()
            _ = try await database.ask(
                """
                insert into parts.room (workspace, kind, id, name, last_seq)
                    select w, 1, w, 'general', 1 from generate_series(3, 7) w;
                \(sql)
                """)
            try await body(database)
        }
    }

    /// Calls `body` with the workspaces within reach, while a part of these tables is not. The workspace 3 is in another part.
    ///
    /// - Parameter others: other parts of tables that are out of reach as well.
    static func losing(
        _ tables: [String], and others: [String] = [], in database: ChatDatabase,
        _ body: @escaping @Sendable (_ reachable: Set<WorkspaceID>) async throws -> Void
    ) async throws {
        try await database.losing(tables, and: others, body)
    }

    /// Schedules a message in the workspace 3. It is due. The store has the pool of that index.
    private static func schedule(
        with store: ScheduledStore, in database: ChatDatabase, pool index: Int = 0
    ) async throws {
        let target = MessageTarget(room: RoomID(ChannelID(3)), workspace: WorkspaceID(3), name: "general")
        let request = try SendRequest(content: "new", files: [], clientID: nil)
        let isStored = try await database.run(index) { _ in
            try await store.insert(
                request, files: [], at: Timestamp(milliseconds: 1), to: target,
                by: Caller(user: UserID(1), session: SessionID(1)), limit: 99, now: .now) != nil
        }
        #expect(isStored)
    }

    @Test("Due messages of the other parts are taken, also by an instance that starts meanwhile, and so are new ones")
    func scheduled() async throws {
        let waiting = """
            insert into parts.scheduled
                (user_id, session, workspace, kind, room, content, send_at, created_at, due_at)
                select 1, 1, w, 1, w, 'later', w, w, w from generate_series(4, 7) w
            """
        try await Self.use(waiting) { database in
            let earlier = Self.finder(database)
            try await database.run { _ in try await earlier.refresh() }
            let store = ScheduledStore(database: database.pools[0], finder: Self.finder(database))
            // Its workspace is not on the list yet.
            try await Self.schedule(with: store, in: database)
            try await Self.losing(["scheduled"], in: database) { reachable in
                let taken = try await database.run { _ in
                    try await store.take(atMost: 100, now: .now, lease: .seconds(60))
                }
                #expect(Set(taken.map(\.workspace)) == reachable)
                #expect(taken.first?.workspace == WorkspaceID(3))
                let next = try await database.run { _ in try await store.nextDue() }
                #expect(next == nil)
            }
        }
    }

    @Test("A workspace with a first message that is stored while the lists are brought up to date is known")
    func storedMeanwhile() async throws {
        try await Self.use("") { database in
            let finder = Self.finder(database)
            let store = ScheduledStore(database: database.pools[0], finder: finder)
            // Only the second pool waits for a lock as long as it is held.
            let patient = ScheduledStore(database: database.pools[1], finder: finder)
            // Reads pass the lock.
            let lock = "lock table parts.scheduled in share mode"
            try await database.database.holding(lock, untilWaiting: 2) {
                async let stored: Void = Self.schedule(with: patient, in: database, pool: 1)
                try await database.database.untilBlocked()
                try await database.run { _ in try await finder.refresh() }
                // The second session that waits ends the hold.
                try await database.database.run(sql: "delete from parts.scheduled where false")
                try await stored
            }
            try await Self.losing(["scheduled"], in: database) { _ in
                let taken = try await database.run { _ in
                    try await store.take(atMost: 100, now: .now, lease: .seconds(60))
                }
                #expect(taken.map(\.workspace) == [WorkspaceID(3)])
            }
        }
    }

    @Test("Events for webhooks of the other parts are found and leased")
    func webhooks() async throws {
        let subscribed = """
            insert into parts.webhook_subscription (id, workspace, url, events, channels, seed, created_by, created_at)
                select w, w, '', '{message}', '{}', '', 1, 0 from generate_series(3, 7) w;
            insert into parts.webhook_queue (workspace, subscription, room, seq, rev, due_at)
                select w, w, 0, 0, 0, w from generate_series(3, 7) w
            """
        try await Self.use(subscribed) { database in
            let earlier = Self.finder(database)
            try await database.run { _ in try await earlier.refresh() }
            let (pool, finder) = (database.pools[0], Self.finder(database))
            try await Self.losing(["webhook_subscription", "webhook_queue", "room"], in: database) { reachable in
                let watched = try await database.run { _ in
                    try await WebhookSubscriptionStore(database: pool, finder: finder).watched()
                }
                #expect(watched == reachable)
                let stale = try await database.run { _ in
                    try await WebhookIntakeStore(database: pool, finder: finder).stale(in: nil, limit: 9)
                }
                #expect(Set(stale.map(\.workspace)) == reachable)
                let leases = try await database.run { _ in
                    try await WebhookDeliveryStore(database: pool, finder: finder).take(
                        of: 9, each: 4, now: .now, until: .now + .seconds(60), except: [])
                }
                #expect(Set(leases.map(\.subscription.workspace)) == reachable)
            }
        }
    }

    @Test("Moved read markers of the other parts have their states")
    func readMarkers() async throws {
        try await Self.use("") { database in
            let store = ReadEventStore(database: database.pools[0], finder: Self.finder(database))
            let moves = Self.workspaces.map { workspace in
                let key = ReadCoalescer.Key(user: UserID(1), room: RoomID(ChannelID(workspace.rawValue)))
                return ReadCoalescer.Move(key: key, workspace: workspace, seq: 1)
            }
            try await Self.losing(["message", "mention", "read_position"], in: database) { reachable in
                let states = try await database.run { _ in try await store.states(of: moves, hiding: [:]) }
                #expect(Set(states.keys.map { WorkspaceID($0.room.rawValue) }) == reachable)
            }
        }
    }

    @Test("The heads of rooms of the other parts are read, and rooms out of reach are named")
    func heads() async throws {
        try await Self.use("") { database in
            let store = RoomHeadStore(database: database.pools[0], finder: Self.finder(database))
            let rooms = Self.workspaces.map { RoomKey(workspace: $0, id: RoomID(ChannelID($0.rawValue))) }
            try await Self.losing(["room"], in: database) { reachable in
                let (known, lost) = try await database.run { _ in try await store.heads(of: rooms) }
                #expect(Set(known.map(\.room)) == Set(rooms.filter { reachable.contains($0.workspace) }.map(\.id)))
                #expect(known.allSatisfy { $0.head == RoomHead(seq: 1, rev: 0) })
                #expect(Set(lost) == Set(rooms.filter { !reachable.contains($0.workspace) }.map(\.id)))
            }
        }
    }

    /// Calls `body` while as many connections of a pool are leased.
    private static func occupying(
        _ count: Int, of pool: PostgresPool, _ body: () async throws -> Void
    ) async throws {
        if count == 0 { return try await body() }
        try await pool.transaction { _ in try await occupying(count - 1, of: pool, body) }
    }

    @Test("A search that gets no connection finds nothing, and ends no job")
    func fullPool() async throws {
        try await ChatDatabase.use { database in
            try await database.run { pool in
                let finder = WorkspaceFinder(database: pool, limit: .milliseconds(100))
                // The fourth connection is never leased.
                try await Self.occupying(3, of: pool) {
                    let found = try await finder.attempt { _ in true }
                    #expect(found == nil)
                }
            }
        }
    }

    @Test("A workspace with new work is on the list for other instances although a part is out of reach")
    func notedMeanwhile() async throws {
        try await Self.use("") { database in
            try await Self.losing(["scheduled"], in: database) { _ in
                try await database.run { pool in
                    let finder = WorkspaceFinder(database: pool.within(.seconds(60).patiently))
                    finder.note(.scheduled, in: WorkspaceID(9))
                    try await finder.refresh()
                    #expect(try await Self.finder(database).list(of: .scheduled) == [WorkspaceID(9)])
                }
            }
        }
    }

    @Test("A list follows the workspaces with work")
    func lists() async throws {
        let first = """
            insert into parts.webhook_subscription (id, workspace, url, events, channels, seed, created_by, created_at)
                values (1, 3, '', '{}', '{}', '', 1, 0)
            """
        try await Self.use(first) { database in
            let finder = Self.finder(database)
            func listed() async throws -> String {
                try await database.run { _ in try await finder.refresh() }
                return try await database.ask("select work, id from parts.busy_workspace order by 1, 2")
            }
            #expect(try await listed() == "webhooks|3")
            _ = try await database.ask(
                """
                update parts.webhook_subscription set workspace = 4;
                insert into parts.busy_workspace values ('scheduled', 9)
                """)
            #expect(try await listed() == "webhooks|4")
        }
    }
}
