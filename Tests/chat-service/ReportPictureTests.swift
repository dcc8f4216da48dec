import Contract
import EventLoop
import HTTP
import ServiceKit
import ServiceSupport
import Telemetry
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Pictures of reports", .serialized)
struct ReportPictureTests {
    private static let portrait = "/static/profiles/0a.png"
    private static let cover = "/static/w.png"
    /// Longer than a piece of the stub.
    private static let picture = Upload.png.bytes + (0..<2500).map { UInt8(truncatingIfNeeded: $0) }

    /// User 1 has a portrait, and workspace 3 of user 4 a cover.
    private static func use(_ body: (ChatHarness) async throws -> Void) async throws {
        try await ReportTests.use { chat in
            chat.peers.change {
                $0.portraits = [1: portrait]
                $0.pictures = [portrait: picture, cover: picture]
            }
            try await body(chat)
        }
    }

    private static func report(
        _ chat: ChatHarness, _ subject: String = #""type":"user","user_id":"1""#
    ) async throws {
        let json = "{\(subject)" + #","workspace_id":"3","reason":"spam"}"#
        let made = try await chat.call("POST", "/v1/reports", user: 2, json: json)
        #expect(made.status == 201, "\(made.text)")
        #expect(try made.json["picture"] == nil)
    }

    /// The first report of the operators' queue.
    @Sendable
    private static func ofOperators(_ chat: ChatHarness) async throws -> JSONValue? {
        try await chat.instances[0].internalCall("GET", "/internal/reports").json["items"]?.list.first
    }

    @Sendable
    private static func state(_ chat: ChatHarness) async throws -> String? {
        try await ReportTests.list(chat).first?["picture"]?["state"]?.string
    }

    /// Waits for the copy of the first report, and returns its path.
    private static func kept(
        _ chat: ChatHarness, in queue: @escaping @Sendable (ChatHarness) async throws -> JSONValue?
    ) async throws -> String {
        try await eventually(within: .seconds(30), "the copy of the picture") {
            try await queue(chat)?["picture"]?["path"]?.string != nil
        }
        return try #require(try await queue(chat)?["picture"]?["path"]?.string)
    }

    private static func kept(_ chat: ChatHarness) async throws -> String {
        try await kept(chat) { try await ReportTests.list($0).first }
    }

    private static func end(_ chat: ChatHarness) async throws {
        let id = try #require(try await ReportTests.list(chat)[0]["report_id"]?.string)
        #expect(try await ReportTests.answer(chat, id, "dismiss").status == 200)
        try await chat.database.database.run(
            sql: "update chat.report set answered_at = answered_at - 90 * 86400000::bigint, created_at = 0")
    }

    private static func count(_ chat: ChatHarness, _ table: String) async throws -> String {
        try await chat.database.ask("select count(*) from chat.\(table)")
    }

    @Test("A18: moderators and operators see a reported portrait after its owner has replaced it")
    func portrait() async throws {
        try await Self.use { chat in
            chat.peers.change { $0.roles[1] = "admin" }
            try await Self.report(chat)
            let path = try await Self.kept(chat)
            // Its owner has replaced it, or deleted the account.
            chat.peers.change { $0.pictures = [:] }
            func read(_ user: Int64) async throws -> HTTPCall.Reply {
                try await chat.call("GET", "/v1" + path, user: user)
            }
            let seen = try await read(4)
            #expect(seen.status == 200 && seen.body == Self.picture)
            #expect(seen.headers["content-type"] == "image/png")
            #expect(try await chat.call("GET", "/v1\(path)?size=small", user: 4).body == Self.picture)
            // The reported user is an admin, the next two are members, and the last one is a stranger.
            for user in [1, 2, 3, 9] as [Int64] { #expect(try await read(user).status == 404, "\(user)") }
            for (user, count) in [(4, 1), (1, 0), (2, 0)] as [(Int64, Int)] {
                let links = try await chat.call(
                    "POST", "/v1/static/channelChats/links", user: user, json: #"{"paths":["\#(path)"]}"#)
                #expect(try links.json["links"]?.list.count == count, "\(user)")
            }
            let found = try #require(try await ReportTests.list(chat).first)
            #expect(found["user"]?["profileImage"]?.string == Self.portrait)
            let id = try #require(found["report_id"]?.string)
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            let service = chat.instances[0]
            #expect(try await service.internalCall("GET", "/internal/reports/\(id)/files/\(name)").body == Self.picture)
            #expect(try await service.operatorCall("GET", "/operator/reports/\(id)/files/\(name)").body == Self.picture)
            #expect(chat.peers.now.acts.contains("reports.file reports/\(id)/files/\(name) begun"))
            #expect(try await service.internalCall("GET", "/internal/reports/999/files/\(name)").status == 404)

            try await Self.end(chat)
            try await ReportFileTests.erase(chat)
            for table in ["report", "report_picture", "report_file"] {
                #expect(try await Self.count(chat, table) == "0", "\(table)")
            }
            #expect(try await read(4).status == 404)
            #expect(chat.storedFiles.isEmpty)
        }
    }

    @Test("A18: operators alone see the cover of a reported workspace; a report of a message keeps the portrait too")
    func cover() async throws {
        try await Self.use { chat in
            try await Self.report(chat, #""type":"workspace""#)
            let path = try await Self.kept(chat, in: Self.ofOperators)
            let id = try #require(try await Self.ofOperators(chat)?["report_id"]?.string)
            let name = path.split(separator: "/").last ?? ""
            let seen = try await chat.instances[0].internalCall("GET", "/internal/reports/\(id)/files/\(name)")
            #expect(seen.body == Self.picture)
            for user in [2, 4] as [Int64] {
                #expect(try await chat.call("GET", "/v1" + path, user: user).status == 404, "\(user)")
            }
            _ = try await chat.send("bad", user: 1)
            #expect(try await ReportTests.report(chat, seq: 1).status == 201)
            let ofAuthor = try await Self.kept(chat)
            #expect(ofAuthor != path)
            #expect(try await chat.call("GET", "/v1" + ofAuthor, user: 4).body == Self.picture)
        }
    }

    @Test("A picture that cannot be read now is copied later; the report is taken at once, and stays until then")
    func later() async throws {
        try await Self.use { chat in
            chat.peers.change { $0.pictures = nil }
            try await Self.report(chat)
            try await eventually(within: .seconds(30), "a failure") {
                try await chat.database.ask("select attempts > 0 from chat.report_picture") == "t"
            }
            #expect(try await Self.state(chat) == "waiting")
            try await Self.end(chat)
            try await ReportFileTests.erase(chat)
            #expect(try await Self.count(chat, "report") == "1")
            chat.peers.change { $0.pictures = [Self.portrait: Self.picture] }
            try await chat.database.database.run(sql: "update chat.report_picture set due_at = 0")
            try await eventually(within: .seconds(60), "the copy") {
                try await chat.database.ask("select is_kept from chat.report_picture") == "t"
            }
            try await ReportFileTests.erase(chat)
            #expect(try await Self.count(chat, "report") == "0")
            #expect(chat.storedFiles.isEmpty)
        }
    }

    @Test("A report says that its picture is lost if its owner has removed it before the copy, or it is no picture")
    func lost() async throws {
        for pictures in [[:], [Self.portrait: Upload.pdf.bytes]] as [[String: [UInt8]]] {
            try await Self.use { chat in
                chat.peers.change { $0.pictures = pictures }
                try await Self.report(chat)
                try await eventually(within: .seconds(30), "the loss") { try await Self.state(chat) == "lost" }
                let found = try await ReportTests.list(chat)
                #expect(found.first?["picture"]?["path"] == nil)
                #expect(found.first?["user"]?["nickname"]?.string == "n1")
                #expect(chat.storedFiles.isEmpty)
            }
        }
    }

    @Test("A copy that a crash left without its record is used, and the owner's service is not asked again")
    func crash() async throws {
        try await Self.use { chat in
            try await Self.report(chat)
            let path = try await Self.kept(chat)
            chat.peers.change { $0.pictures = [:] }
            try await chat.database.database.run(
                sql: "delete from chat.report_file; update chat.report_picture set is_kept = false, due_at = 0")
            #expect(try await Self.kept(chat) == path)
            #expect(try await chat.call("GET", "/v1" + path, user: 4).body == Self.picture)
        }
    }

    @Test("A copy of which the report was erased meanwhile is removed")
    func erased() async throws {
        try await Self.use { chat in
            try await chat.database.database.run(
                sql: """
                    insert into chat.report_picture (workspace, report, path, is_cover, name, due_at)
                        values (3, 999, '\(Self.portrait)', false, '0b.png', 0)
                    """)
            try await eventually(within: .seconds(60), "the removal") {
                try await Self.count(chat, "report_picture") == "0" && chat.storedFiles.isEmpty
            }
            #expect(chat.peers.now.count("/internal/pictures/piece") > 0)
        }
    }

    @Test("The pictures of reports from before this release are copied too")
    func older() async throws {
        try await Self.use { chat in
            chat.peers.change { $0.pictures = [:] }
            try await Self.report(chat)
            try await eventually(within: .seconds(30), "the loss") { try await Self.state(chat) == "lost" }
            chat.peers.change { $0.pictures = [Self.portrait: Self.picture] }
            // As that release leaves them: with a picture of an erased report, and a report without one.
            try await chat.database.database.run(
                sql: """
                    update chat.report_picture set report = 999, due_at = null;
                    insert into chat.report (workspace, type, subject, reason, text, subject_image, created_at, is_for_operators)
                        values (3, 2, 1, 'spam', '', '/static/profiles/none', 0, true);
                    """)
            let loops = EventLoopGroup(count: 1)
            let http = HTTPClient(on: loops)
            let client = InternalClient(chat.peers.url, credential: "", http: http)
            let pool = BlockingPool(threads: 1, limit: 8)
            let files = try FolderFileStore(root: chat.files.path, folders: [], pool: pool)
            try await chat.database.run { database in
                let store = ReportStore(database: database)
                try await ReportPictures(
                    store: store.pictures, leases: store.leases, files: files, auth: AuthClient(client),
                    workspaces: WorkspaceClient(client),
                    log: Log(service: "test", level: .error, to: LogOutput(descriptor: 2))
                ).noteOlder()
            }
            http.close()
            pool.stop()
            await onOwnThread { loops.stop() }
            let path = try await Self.kept(chat)
            #expect(try await chat.call("GET", "/v1" + path, user: 4).body == Self.picture)
            #expect(try await Self.count(chat, "report_picture") == "2")
            // The pictures are copied one after the other.
            try await eventually(within: .seconds(30), "the loss of the other one") {
                try await Self.ofOperators(chat)?["picture"]?["state"]?.string == "lost"
            }
        }
    }
}
