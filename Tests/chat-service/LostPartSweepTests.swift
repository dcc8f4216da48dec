import Contract
import EventLoop
import Postgres
import TestSupport
import Testing
import Wire

@testable import ServiceKit
@testable import chat_service

@Suite("Sweeps while a part of a divided schema is out of reach", .serialized)
struct LostPartSweepTests {
    /// Calls `body` with an empty store of files.
    private static func withFiles(_ body: (FolderFileStore) async throws -> Void) async throws {
        let (folder, blocking) = (TemporaryFolder("maru-swept-files"), BlockingPool(threads: 1, limit: 16))
        // Its end removes the folder.
        defer { withExtendedLifetime(folder) {} }
        let store = try FolderFileStore(
            root: folder.path, folders: Attachments.Folder.allCases.map(\.rawValue), pool: blocking)
        try await body(store)
        await onOwnThread { blocking.stop() }
    }

    /// The workspaces with rows in a table.
    private static func rows(in table: String, _ database: ChatDatabase) async throws -> Set<WorkspaceID> {
        try await database.ask("select distinct workspace from parts.\(table)").workspaces
    }

    @Test("The list of workspaces gets those with rooms, keeps the others, and is apart from the lists of due work")
    func list() async throws {
        try await LostPart.use("") { database in
            let finder = LostPart.finder(database)
            try await database.run(2) { _ in
                for _ in 1...2 { try await finder.add(WorkspaceID(9), to: .rooms) }
                try await finder.refreshRooms()
                try await finder.refresh()
            }
            let listed = try await database.ask("select work, id from parts.busy_workspace order by 2")
            #expect(listed == "rooms|3\nrooms|4\nrooms|5\nrooms|6\nrooms|7\nrooms|9")
        }
    }

    @Test("A workspace with a new message is on the list for other instances after the next refresh")
    func noted() async throws {
        try await LostPart.use("") { database in
            let finder = LostPart.finder(database)
            try await database.run(2) { _ in
                finder.note(.rooms, in: WorkspaceID(9))
                try await finder.refresh()
            }
            let listed = try await database.ask("select work, id from parts.busy_workspace")
            #expect(listed == "rooms|9")
        }
    }

    @Test("A read of all rooms says that it has failed, so that it is repeated soon")
    func failedList() async throws {
        try await LostPart.use("") { database in
            try await database.losing(["room"]) { _ in
                let isDone = try await database.run(2) { pool in
                    try await WorkspaceFinder(database: pool.within(.seconds(60).patiently)).refreshRooms()
                }
                #expect(!isDone)
            }
            let isDone = try await database.run(2) { _ in try await LostPart.finder(database).refreshRooms() }
            #expect(isDone)
        }
    }

    @Test("Unsent files of the other parts are removed, and the rest once the part is back")
    func files() async throws {
        let planted = """
            insert into parts.file (workspace, name, folder, kind, room, display_name, size, noted_at, is_sent)
                select w, w || '.pdf', 'channelChats', 1, w, 'a', 1, w, false from generate_series(3, 7) w
            """
        try await LostPart.use(planted) { database in
            try await LostPart.list(in: database)
            try await Self.withFiles { store in
                @Sendable func sweep() async throws -> Int {
                    let finder = LostPart.finder(database)
                    return try await database.run(2) { pool in
                        try await Attachments(
                            files: store, store: FileRecordStore(database: pool, finder: finder), limits: .sample,
                            pictures: nil
                        ).sweep(notedBefore: .now)
                    }
                }
                let reachable = try await database.losing(["file"]) { reachable in
                    let count = try await sweep()
                    #expect(count == reachable.count)
                }
                #expect(try await Self.rows(in: "file", database) == LostPart.workspaces.subtracting(reachable))
                _ = try await sweep()
                #expect(try await Self.rows(in: "file", database) == [])
            }
        }
    }

    @Test("Old reports, runs of commands and events of webhooks of the other parts are deleted, and the rest later")
    func oldRows() async throws {
        let planted = """
            insert into parts.report
                (workspace, type, subject, reason, text, created_at, is_for_operators, action, answered_at)
                select w, 2, 1, 'spam', '', 1, false, 1, 1 from generate_series(3, 7) w;
            insert into parts.command_run (secret, workspace, bot, command, kind, room, user_id, expires_at)
                select w::text::bytea, w, 1, 'a', 1, w, 1, 1 from generate_series(3, 7) w;
            insert into parts.webhook_delivery (workspace, subscription, room, event, created_at, state)
                select w, w, 0, 'member', 1, 1 from generate_series(3, 7) w
            """
        let tables = ["report", "command_run", "webhook_delivery"]
        try await LostPart.use(planted) { database in
            try await LostPart.list(in: database)
            try await Self.withFiles { files in
                @Sendable func sweep() async throws {
                    let finder = LostPart.finder(database)
                    let limits = ReportLimits(
                        ofUserPerDay: 9, term: .seconds(86_400), retention: .seconds(86_400))
                    try await database.run(2) { pool in
                        let reports = ReportStore(database: pool, sweeps: finder)
                        try await ReportWatch(store: reports, files: files, limits: limits).erase()
                        try await CommandRunStore(database: pool, finder: finder).forget(before: .now)
                        try await WebhookDeliveryStore(database: pool, sweeps: finder).forget(
                            before: .now, limit: 100)
                    }
                }
                let reachable = try await database.losing(tables) { _ in try await sweep() }
                for table in tables {
                    let left = try await Self.rows(in: table, database)
                    #expect(left == LostPart.workspaces.subtracting(reachable), "\(table)")
                }
                try await sweep()
                for table in tables { #expect(try await Self.rows(in: table, database) == [], "\(table)") }
            }
        }
    }

    @Test("The pictures of reports in the other parts are copied while a part is out of reach")
    func pictures() async throws {
        let planted = """
            insert into parts.report_picture (workspace, report, path, is_cover, name, due_at)
                select w, w, '/static/profiles/a.png', false, 'b.png', 1 from generate_series(3, 7) w
            """
        try await LostPart.use(planted) { database in
            try await LostPart.list(in: database)
            @Sendable func due() async throws -> Set<WorkspaceID> {
                let finder = LostPart.finder(database)
                return try await database.run(2) { pool in
                    let store = ReportStore(database: pool, sweeps: finder)
                    return Set(try await store.pictures.workspacesWithDue(at: .now, by: store.leases))
                }
            }
            try await database.losing(["report_picture"]) { reachable in
                let found = try await due()
                #expect(found == reachable)
            }
            let all = try await due()
            #expect(all == LostPart.workspaces)
        }
    }

    @Test("The pictures of older reports in the other parts are found, and those of erased reports are forgotten")
    func olderPictures() async throws {
        let planted = """
            insert into parts.report
                (workspace, type, subject, reason, text, created_at, is_for_operators, subject_image)
                select w, 2, 1, 'spam', '', 1, false, '/static/profiles/a.png' from generate_series(3, 7) w;
            insert into parts.report_picture (workspace, report, path, is_cover, name)
                select w, 1000, '/static/profiles/a.png', false, 'b.png' from generate_series(3, 7) w
            """
        try await LostPart.use(planted) { database in
            try await LostPart.list(in: database)
            let reachable = try await database.losing(["report", "report_picture"]) { reachable in
                let finder = LostPart.finder(database)
                let found = try await database.run(2) { pool in
                    let store = ReportStore(database: pool, sweeps: finder)
                    try await store.pictures.forgetErased(by: store.leases)
                    return try await store.pictures.unnoted(limit: 20, by: store.leases)
                }
                #expect(Set(found.map(\.workspace)) == reachable)
            }
            let left = try await Self.rows(in: "report_picture", database)
            #expect(left == LostPart.workspaces.subtracting(reachable))
        }
    }
}
