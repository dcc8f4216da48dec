import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Files of reported messages", .serialized)
struct ReportFileTests {
    @Test("A18: moderators of a report read the files of its messages, even deleted ones, until its term is over")
    func files() async throws {
        try await ReportTests.use { chat in
            let sent = try await chat.upload([.png], content: "before", user: 3)
            let earlier = try #require(try sent.json["files"]?.list.first?.string)
            let bad = try await chat.upload([.pdf], content: "bad", user: 1)
            let path = try #require(try bad.json["files"]?.list.first?.string)
            func read(_ path: String, _ user: Int64) async throws -> HTTPCall.Reply {
                try await chat.call("GET", "/v1" + path, user: user)
            }
            // The owner of the workspace is not in the channel, and reads its files only for a report.
            chat.peers.change { $0.channels[7]?.members.remove(4) }
            #expect(try await read(path, 4).status == 404)
            #expect(try await ReportTests.report(chat, seq: 2).status == 201)
            for file in [path, earlier] { #expect(try await read(file, 4).status == 200) }
            // Nobody else reads more than before.
            #expect(try await read(path, 6).status == 404)
            #expect(try await chat.call("DELETE", "\(ReportTests.chats)/2", user: 1).status == 200)
            try await eventually("the removal of the record") {
                try await chat.database.ask("select count(*) from chat.file") == "1"
            }
            for user in [1, 2] as [Int64] { #expect(try await read(path, user).status == 404) }
            let evidence = try await read(path, 4)
            #expect(evidence.status == 200 && evidence.body == Upload.pdf.bytes)
            let links = try await chat.call(
                "POST", "/v1/static/channelChats/links", user: 4, json: #"{"paths":["\#(path)"]}"#)
            #expect(try links.json["links"]?.list.count == 1)
            let id = try #require(try await ReportTests.list(chat)[0]["report_id"]?.string)
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            let ofOperators = try await chat.instances[0].internalCall("GET", "/internal/reports/\(id)/files/\(name)")
            #expect(ofOperators.status == 200 && ofOperators.body == Upload.pdf.bytes)
            let other = try await chat.instances[0].internalCall("GET", "/internal/reports/999/files/\(name)")
            #expect(other.status == 404)

            #expect(try await ReportTests.answer(chat, id, "dismiss").status == 200)
            try await chat.database.database.run(
                sql: "update chat.report set answered_at = answered_at - 90 * 86400000::bigint, created_at = 0")
            // A removal that is under way keeps the report for the next time, because the file must go with one of the two.
            try await chat.database.database.run(sql: "update chat.file set is_removed = true")
            try await Self.erase(chat)
            #expect(try await chat.database.ask("select count(*) from chat.report") == "1")
            try await chat.database.database.run(sql: "update chat.file set is_removed = false")
            try await Self.erase(chat)
            #expect(try await chat.database.ask("select count(*) from chat.report_file") == "0")
            #expect(try await read(path, 4).status == 404)
            #expect(!chat.storedFiles.contains { $0.hasSuffix(".pdf") })
            // The earlier message still has its file.
            #expect(try await read(earlier, 3).status == 200)
            #expect(try await read(earlier, 4).status == 404)
        }
    }

    /// Erases answered reports after their retention.
    static func erase(_ chat: ChatHarness) async throws {
        let pool = BlockingPool(threads: 1, limit: 8)
        defer { pool.stop() }
        let files = try FolderFileStore(root: chat.files.path, folders: [], pool: pool)
        try await chat.database.run { database in
            let limits = ReportLimits(ofUserPerDay: 9, term: .seconds(86_400), retention: .seconds(90 * 86_400))
            try await ReportWatch(store: ReportStore(database: database), files: files, limits: limits).erase()
        }
    }
}
