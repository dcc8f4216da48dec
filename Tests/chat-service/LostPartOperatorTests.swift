import Contract
import Postgres
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Looks of operators while a part of a divided schema is out of reach", .serialized)
struct LostPartOperatorTests {
    /// Each workspace has a message that waits in the outbox, a DM without messages, and a webhook.
    private static let rooms = """
        insert into parts.dm (id, workspace, low, high, created_at) overriding system value
            select 100 + w, w, 1, 2, w from generate_series(3, 7) w;
        insert into parts.message (workspace, kind, room, seq, author, session, content, files, created_at)
            select w, 1, w, 1, 2, 1, 'text', '{}', 1 from generate_series(3, 7) w;
        insert into parts.outbox (workspace, type, body)
            select w, 'messages', '[[1,' || w || ',1]]' from generate_series(3, 7) w;
        insert into parts.webhook_subscription (id, workspace, url, events, channels, seed, created_by, created_at)
            select w, w, '', '{message}', '{}', '', 1, 0 from generate_series(3, 7) w
        """
    /// Each workspace has a report with a copy of a message and a file. The reports of the last workspaces are the oldest ones.
    private static let reports = """
        insert into parts.report (id, workspace, type, subject, reason, text, created_at, is_for_operators)
            overriding system value select 20 - w, w, 1, 2, 'spam', '', 1, true from generate_series(3, 7) w;
        insert into parts.report_copy (workspace, report, seq, author, nickname, content, files, sent_at)
            select w, 20 - w, 1, 2, 'Ben', 'bad', '{}', 1 from generate_series(3, 7) w;
        insert into parts.report_file (workspace, report, name, folder, display_name, size)
            select w, 20 - w, 'a.pdf', 'channelChats', 'a', 1 from generate_series(3, 7) w
        """

    private static func report(in workspace: WorkspaceID) -> ReportID { ReportID(20 - workspace.rawValue) }

    @Test("Rooms and messages of the other parts are shown, and a room out of reach is not taken for unknown")
    func places() async throws {
        try await LostPart.use(Self.rooms) { database in
            try await LostPart.list(in: database)
            try await database.losing(["room", "dm", "message", "outbox"]) { reachable in
                let (pool, finder) = (database.pools[2], LostPart.finder(database))
                let rooms = OperatorRoomStore(database: pool, finder: finder)
                let messages = OperatorMessageStore(database: pool.within(.seconds(60).patiently), isDivided: true)
                for workspace in LostPart.workspaces {
                    let channel = RoomID(ChannelID(workspace.rawValue))
                    let dm = RoomID(kind: .dm, rawValue: 100 + workspace.rawValue)
                    guard reachable.contains(workspace) else {
                        for room in [channel, dm] {
                            await #expect(throws: Failure.self) {
                                try await database.run(2) { _ in try await rooms.find(room) }
                            }
                        }
                        continue
                    }
                    let found = try await database.run(2) { _ in try await rooms.find(channel) }
                    #expect(found?.workspace == workspace && found?.head == 1)
                    let pair = try await database.run(2) { _ in try await rooms.find(dm) }
                    #expect(pair?.workspace == workspace && pair?.users == [UserID(1), UserID(2)])
                    let key = RoomKey(workspace: workspace, id: channel)
                    let message = try await database.run(2) { _ in try await messages.find(1, in: key) }
                    #expect(message?.author == UserID(2) && message?.publication == .waiting)
                }
            }
            let rooms = OperatorRoomStore(database: database.pools[2], finder: LostPart.finder(database))
            let unknown = try await database.run(2) { _ in try await rooms.find(RoomID(ChannelID(99))) }
            #expect(unknown?.workspace == nil)
        }
    }

    @Test("Reports of the other parts are listed in their order, and the reply says that some are missing")
    func list() async throws {
        try await LostPart.use(Self.reports) { database in
            try await LostPart.list(in: database)
            /// The workspaces of the reports, and the reply's word for it.
            @Sendable func page(limit: Int, _ finder: WorkspaceFinder) async throws -> ([WorkspaceID], Bool?) {
                let page = try await database.run(2) { pool -> ReportPage in
                    let (reports, isComplete) = try await ReportStore(database: pool, finder: finder)
                        .listForOperators(isOpen: true, after: 0, notBefore: .now, limit: limit)
                    #expect(reports.allSatisfy { $0.evidence.messages.map(\.content) == ["bad"] })
                    return ReportPage(
                        reports: reports, limit: limit, detail: .forOperators, term: .seconds(60),
                        isComplete: isComplete)
                }
                let json = try JSONValue(parsing: JSONWriter.bytes { $0.view(page, for: .ofNobody) })
                return (page.reports.map(\.workspace), json[named: "complete"]?.bool)
            }
            try await database.losing(["report", "report_copy", "report_picture"]) { reachable in
                let finder = LostPart.finder(database)
                let oldest = reachable.sorted { $0.rawValue > $1.rawValue }
                let (all, isComplete) = try await page(limit: 9, finder)
                #expect(all == oldest && isComplete == false)
                let (first, _) = try await page(limit: 1, finder)
                #expect(first == [oldest[0]])
            }
            let (all, isComplete) = try await page(limit: 9, LostPart.finder(database))
            #expect(all.map(\.rawValue) == [7, 6, 5, 4, 3] && isComplete == true)
        }
    }

    @Test("A report of another part is shown with its file, and one out of reach is not taken for unknown")
    func report() async throws {
        try await LostPart.use(Self.reports) { database in
            try await LostPart.list(in: database)
            try await database.losing(["report", "report_copy", "report_picture", "report_file"]) { reachable in
                let pool = database.pools[2].within(.seconds(60).patiently)
                let store = ReportStore(database: pool, finder: LostPart.finder(database))
                for workspace in LostPart.workspaces {
                    let id = Self.report(in: workspace)
                    guard reachable.contains(workspace) else {
                        await #expect(throws: Failure.self) {
                            try await database.run(2) { _ in try await store.findForOperator(id) }
                        }
                        continue
                    }
                    let found = try await database.run(2) { _ in try await store.findForOperator(id) }
                    #expect(found?.workspace == workspace && found?.evidence.messages.count == 1)
                    let held = try await database.run(2) { _ -> ReportFileStore.Held? in
                        guard let place = try await store.workspace(of: id) else { return nil }
                        return try await store.files.find("a.pdf", of: id, in: place)
                    }
                    #expect(held?.file.workspace == workspace)
                }
            }
        }
    }

    @Test("A webhook of another part is shown, and one out of reach is not taken for unknown")
    func webhook() async throws {
        try await LostPart.use(Self.rooms) { database in
            try await LostPart.list(in: database)
            try await database.losing(["room", "webhook_subscription"]) { reachable in
                let store = WebhookSubscriptionStore(database: database.pools[2], finder: LostPart.finder(database))
                for workspace in LostPart.workspaces {
                    let id = WebhookSubscriptionID(workspace.rawValue)
                    if reachable.contains(workspace) {
                        let found = try await database.run(2) { _ in try await store.find(id) }
                        #expect(found?.workspace == workspace)
                    } else {
                        await #expect(throws: Failure.self) {
                            try await database.run(2) { _ in try await store.find(id) }
                        }
                    }
                }
            }
        }
    }
}
