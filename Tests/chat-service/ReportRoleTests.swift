import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Roles of those who answer reports", .serialized)
struct ReportRoleTests {
    /// User 4 owns workspace 3, and 1 and 3 are its admins.
    private static func use(_ body: (ChatHarness) async throws -> Void) async throws {
        try await ReportTests.use { chat in
            chat.peers.change { $0.roles = [1: "admin", 3: "admin", 4: "owner"] }
            try await body(chat)
        }
    }

    @Test("A18: nobody sees or answers a report about themselves, open or answered, and reads its files")
    func aboutOneself() async throws {
        try await Self.use { chat in
            let sent = try await chat.upload([.pdf], content: "bad", user: 1)
            let path = "/v1" + (try #require(try sent.json["files"]?.list.first?.string))
            #expect(try await ReportTests.report(chat, seq: 1).status == 201)
            let user = #"{"type":"user","user_id":"1","workspace_id":"3","reason":"harassment"}"#
            #expect(try await chat.call("POST", "/v1/reports", user: 2, json: user).status == 201)
            #expect(try await ReportTests.list(chat, user: 1).isEmpty)
            let found = try await ReportTests.list(chat, user: 3)
            #expect(found.count == 2)
            let id = try #require(found[0]["report_id"]?.string)
            #expect(try await ReportTests.answer(chat, id, "dismiss", user: 1).errorCode == "E13")
            #expect(try await ReportTests.answer(chat, id, "delete", user: 3).status == 200)
            #expect(try await ReportTests.list(chat, "?state=answered", user: 1).isEmpty)
            #expect(try await ReportTests.list(chat, "?state=answered", user: 3).count == 1)
            try await eventually("the removal of the record") {
                try await chat.database.ask("select count(*) from chat.file") == "0"
            }
            #expect(try await chat.call("GET", path, user: 1).status == 404)
            #expect(try await chat.call("GET", path, user: 3).status == 200)
        }
    }

    @Test("A8: an admin warns and removes members only, and the owner warns and removes admins")
    func lowerRoles() async throws {
        try await Self.use { chat in
            for author in [1, 2] as [Int64] { _ = try await chat.send("bad", user: author) }
            #expect(try await ReportTests.report(chat, seq: 1, user: 2).status == 201)
            #expect(try await ReportTests.report(chat, seq: 2, user: 1).status == 201)
            let ids = try await ReportTests.list(chat).compactMap { $0["report_id"]?.string }
            #expect(ids.count == 2)
            for action in ["warn", "remove"] {
                #expect(try await ReportTests.answer(chat, ids[0], action, user: 3).errorCode == "E14")
            }
            #expect(try await ReportTests.answer(chat, ids[1], "remove", user: 3).status == 200)
            #expect(try await ReportTests.answer(chat, ids[0], "warn", user: 4).status == 200)
            #expect(chat.peers.now.removals == ["2 3 3"])
        }
    }

    @Test("A8: an admin mutes and suspends members, and neither the owner nor another admin")
    func standing() async throws {
        try await Self.use { chat in
            func set(_ user: Int64, by moderator: Int64, _ json: String = #"{"suspended":true}"#) async throws -> String
            {
                let path = "/v1/workspaces/3/standings/\(user)"
                let reply = try await chat.call("PUT", path, user: moderator, json: json)
                return reply.status == 200 ? "set" : reply.errorCode
            }
            #expect(try await set(2, by: 1) == "set")
            #expect(try await set(3, by: 1) == "E14")
            #expect(try await set(4, by: 1) == "E14")
            let muted = #"{"mutedUntil":"\#(Timestamp.now + .seconds(60))"}"#
            #expect(try await set(4, by: 1, muted) == "E14")
            #expect(try await set(3, by: 4) == "set")
            #expect(try await set(3, by: 1, "{}") == "E14")
            #expect(try await chat.send("still here", user: 4).status == 201)
            // The suspension of a member lasts when they become the owner.
            chat.peers.change { $0.roles = [1: "admin", 3: "owner"] }
            let refused = try await chat.send("owner", user: 3)
            #expect(refused.errorCode == "E14")
            #expect(try await set(3, by: 1, "{}") == "set")
            #expect(try await chat.send("owner", user: 3).status == 201)
        }
    }

    @Test("A18: reports in a workspace that nobody owns are in the queue of operators at once")
    func ownerless() async throws {
        try await Self.use { chat in
            chat.peers.change { $0.ownerless = [3] }
            _ = try await chat.send("bad", user: 1)
            #expect(try await ReportTests.report(chat, seq: 1).status == 201)
            let user = #"{"type":"user","user_id":"1","workspace_id":"3","reason":"spam"}"#
            #expect(try await chat.call("POST", "/v1/reports", user: 2, json: user).status == 201)
            let queue = try await chat.instances[0].internalCall("GET", "/internal/reports").json["items"]?.list ?? []
            #expect(queue.map { $0["type"]?.string } == ["message", "user"])
        }
    }
}
