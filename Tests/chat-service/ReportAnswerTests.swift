import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Answers to reports", .serialized)
struct ReportAnswerTests {
    @Test("A suspended admin deletes no message of another one by an answer to a report")
    func suspended() async throws {
        try await ReportTests.use { chat in
            chat.peers.change { $0.roles[1] = "admin" }
            _ = try await chat.send("a", user: 2)
            let suspended = try await chat.call(
                "PUT", "/v1/workspaces/3/standings/1", user: 4, json: #"{"suspended":true}"#)
            #expect(suspended.status == 200)
            #expect(try await ReportTests.report(chat, seq: 1, user: 1).status == 201)
            let id = try #require(try await ReportTests.list(chat)[0]["report_id"]?.string)
            #expect(try await ReportTests.answer(chat, id, "delete", user: 1).errorCode == "E14")
            #expect(try await chat.history(user: 2).map { $0["content"]?.string } == ["a"])
            #expect(try await ReportTests.answer(chat, id, "delete", user: 4).status == 200)
        }
    }

    @Test("A18 Two moderators delete a message by different reports at once, and both are answered")
    func atOnce() async throws {
        try await ReportTests.use(["database_connections": "6"]) { chat in
            chat.peers.change { $0.roles[3] = "admin" }
            _ = try await chat.send("bad", user: 1)
            for user in [2, 3] as [Int64] {
                #expect(try await ReportTests.report(chat, seq: 1, user: user).status == 201)
            }
            let ids = try await ReportTests.list(chat).compactMap { $0["report_id"]?.string }
            // Both wait for their reports, and go on together.
            let statuses = try await chat.database.database.holding(
                "select from chat.report for update", untilWaiting: 2
            ) {
                async let first = ReportTests.answer(chat, ids[0], "delete", user: 4)
                async let second = ReportTests.answer(chat, ids[1], "delete", user: 3)
                return try await [first.status, second.status]
            }
            #expect(statuses == [200, 200])
            #expect(try await ReportTests.list(chat, "?state=answered").count == 2)
        }
    }

    @Test("A18 A message can be reported below messages of any length")
    func longContext() async throws {
        try await ReportTests.use { chat in
            for text in ["1", "2", "3", "4", "bad"] { _ = try await chat.send(text, user: 1) }
            // As ten thousand characters of many scalars each.
            _ = try await chat.database.ask(
                "update chat.message set content = repeat('x', 300000) where seq <= 4 returning seq")
            let made = try await ReportTests.report(chat, seq: 5)
            #expect(made.status == 201, "\(made.text)")
            let copies = try await ReportTests.list(chat).first?["messages"]?.list ?? []
            #expect(copies.last?["content"]?.string == "bad")
            #expect(copies.last?["seq"]?.int == 5)
            #expect(copies.count == 5)
        }
    }

    @Test("A18 A long message does not keep those after it out of a report")
    func nearContext() async throws {
        try await ReportTests.use { chat in
            for text in ["1", "2", "3", "4", "5", "bad"] { _ = try await chat.send(text, user: 1) }
            _ = try await chat.database.ask(
                "update chat.message set content = repeat('x', 1100000) where seq = 1 or seq = 3 returning seq")
            #expect(try await ReportTests.report(chat, seq: 6).status == 201)
            let copies = try await ReportTests.list(chat).first?["messages"]?.list ?? []
            #expect(copies.map { $0["seq"]?.int } == [3, 4, 5, 6])
        }
    }

    @Test("D1 A warning of a deleted account is refused, and leaves no row")
    func deletedAccount() async throws {
        try await ReportTests.use(instances: 2) { chat in
            _ = try await chat.send("bad", user: 1)
            #expect(try await ReportTests.report(chat, seq: 1).status == 201)
            let id = try #require(try await ReportTests.list(chat)[0]["report_id"]?.string)
            chat.peers.change {
                $0.unknown = [1]
                $0.workspaces[3]?.remove(1)
            }
            // The other instance has not seen the account yet.
            let refused = try await chat.call(
                "PUT", "/v1/workspaces/3/reports/\(id)", user: 4, json: #"{"action":"warn"}"#, on: 1)
            #expect(refused.errorCode == "E15")
            #expect(try await chat.database.ask("select count(*) from chat.standing") == "0")
            #expect(try await ReportTests.answer(chat, id, "dismiss").status == 200)
        }
    }
}
