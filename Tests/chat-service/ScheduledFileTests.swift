import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Scheduled files and replies", .serialized)
struct ScheduledFileTests {
    private static let list = "/v1/users/me/scheduled"
    private static let chats = "/v1/workspaces/3/channels/7/chats"

    private static func schedule(
        _ chat: ChatHarness, _ files: [Upload], _ fields: [(String, String)]
    ) async throws -> HTTPCall.Reply {
        try await chat.call(
            "POST", "\(ChatHarness.channel)/scheduled",
            headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
            body: Upload.form(files, fields + [("at", "\(Timestamp.now + .seconds(3600))")]))
    }

    private static func makeDue(_ chat: ChatHarness) async throws {
        let now = Timestamp.now.milliseconds
        try await chat.database.database.run(sql: "update chat.scheduled set send_at = \(now), due_at = \(now)")
        try await eventually("the end of all sends") {
            try await chat.database.ask("select count(*) from chat.scheduled where failed_code is null") == "0"
        }
    }

    @Test("A scheduled message is sent with its files, in its thread, and says that it was scheduled")
    func sending() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("root", user: 2)
            let reply = try await Self.schedule(
                chat, [.png, .pdf], [("content", "later @n3"), ("thread", "1"), ("toRoom", "true")])
            #expect(reply.status == 201, "\(reply.text)")
            #expect(try reply.json["files"]?.elements.map { Array($0).count } == 2)
            #expect(try reply.json["thread"]?.int == 1)
            #expect(try reply.json["toRoom"]?.bool == true)
            try await Self.makeDue(chat)
            let sent = try await chat.history().last
            #expect(sent?["scheduled"]?.bool == true)
            #expect(sent?["thread"]?["root"]?.int == 1)
            #expect(sent?["mentions"]?[0]?["user_id"]?.string == "3")
            let path = try #require(sent?["files"]?[0]?.string)
            #expect(try await chat.call("GET", "/v1" + path, user: 3).status == 200)
            let list = try await chat.call("GET", Self.list).json["items"]?.elements.map { Array($0).count }
            #expect(list == 0)
        }
    }

    @Test("The sweep keeps the files of a scheduled message, and cancelling removes them")
    func cancelling() async throws {
        try await ChatHarness.use { chat in
            let reply = try await Self.schedule(chat, [.png], [("client_id", "a")])
            let id = try #require(try reply.json["id"]?.string)
            #expect(chat.storedFiles.count == 1)
            // A repeated call stores no second file.
            let at = try #require(try reply.json["at"]?.string)
            let again = try await chat.call(
                "POST", "\(ChatHarness.channel)/scheduled",
                headers: [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")],
                body: Upload.form([.png], [("client_id", "a"), ("at", at)]))
            #expect(try again.json["id"]?.string == id, "\(again.text)")
            #expect(chat.storedFiles.count == 1)
            try await chat.database.database.run(sql: "update chat.file set noted_at = 1")
            let orphans = try await chat.database.run { pool in
                try await FileRecordStore(database: pool)
                    .findOrphans(of: WorkspaceID(3), notedBefore: .now, limit: 10).orphans.count
            }
            #expect(orphans == 0)
            let cancelled = try await chat.call("DELETE", "\(Self.list)/\(id)")
            #expect(cancelled.status == 200, "\(cancelled.text)")
            #expect(chat.storedFiles.isEmpty)
            #expect(try await chat.database.ask("select count(*) from chat.file") == "0")
        }
    }

    @Test("A scheduled message with files can lose its text, and is sent without it")
    func withoutText() async throws {
        try await ChatHarness.use { chat in
            let reply = try await Self.schedule(chat, [.png], [("content", "later")])
            let path = "\(Self.list)/\(try #require(try reply.json["id"]?.string))"
            let changed = try await chat.call("PUT", path, json: #"{"content":""}"#)
            #expect(changed.status == 200, "\(changed.text)")
            #expect(try changed.json["content"]?.string == "")
            // It is nobody else's.
            #expect(try await chat.call("PUT", path, user: 2, json: #"{"content":""}"#).errorCode == "E11")
            try await Self.makeDue(chat)
            let sent = try await chat.history().last
            #expect(sent?["content"]?.string == "")
            #expect(sent?["files"]?.elements.map { Array($0).count } == 1)
        }
    }

    @Test("A scheduled reply to a missing message is refused, and marked failed if its root is deleted later")
    func refusals() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("root")
            let missing = try await Self.schedule(chat, [.png], [("thread", "9")])
            #expect(missing.errorCode == "E13", "\(missing.text)")
            #expect(chat.storedFiles.isEmpty)
            _ = try await Self.schedule(chat, [], [("content", "late"), ("thread", "1")])
            _ = try await chat.call("DELETE", "\(Self.chats)/1")
            try await Self.makeDue(chat)
            let item = try await chat.call("GET", Self.list).json["items"]?[0]
            #expect(item?["state"]?.string == "failed")
            #expect(item?["error"]?["errorCode"]?.string == "E13")
            #expect(try await chat.database.ask("select count(*) from chat.message") == "1")
        }
    }

    @Test("A scheduled message that was stored, although its call failed, keeps its files")
    func unknownOutcome() async throws {
        try await ChatHarness.use { chat in
            // The row is committed, and then it cannot be read.
            try await chat.database.database.run(
                sql: """
                    create function chat.spoil() returns trigger language plpgsql as
                    'begin new.files := new.files || array[null]::text[]; return new; end';
                    create trigger spoil before insert on chat.scheduled for each row execute function chat.spoil()
                    """)
            let reply = try await Self.schedule(chat, [.png], [("content", "later")])
            #expect(reply.status == 500, "\(reply.text)")
            #expect(try await chat.database.ask("select count(*) from chat.scheduled") == "1")
            #expect(chat.storedFiles.count == 1)
        }
    }
}
