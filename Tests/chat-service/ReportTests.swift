import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Reports", .serialized)
struct ReportTests {
    static let chats = "\(ChatHarness.channel)/chats"
    private static let reports = "/v1/workspaces/3/reports"

    /// User 4 owns workspace 3.
    static func use(
        _ settings: [String: String] = [:], instances: Int = 1, _ body: (ChatHarness) async throws -> Void
    ) async throws {
        try await ChatHarness.use(instances: instances, settings) { chat in
            try await chat.redis.untilHeard("invalidate:moderation", by: instances)
            chat.peers.change { $0.roles = [4: "owner"] }
            try await body(chat)
        }
    }

    static func report(
        _ chat: ChatHarness, seq: Int, user: Int64 = 2, room: String = "channel-7", reason: String = "spam"
    ) async throws -> HTTPCall.Reply {
        try await chat.call(
            "POST", "/v1/reports", user: user,
            json: #"{"type":"message","room":"\#(room)","seq":\#(seq),"reason":"\#(reason)","text":"look"}"#)
    }

    static func list(_ chat: ChatHarness, _ query: String = "", user: Int64 = 4) async throws -> [JSONValue] {
        let reply = try await chat.call("GET", reports + query, user: user)
        guard reply.status == 200 else { throw NeverHappened(description: reply.text) }
        return try reply.json["items"]?.list ?? []
    }

    static func answer(_ chat: ChatHarness, _ id: String, _ action: String, user: Int64 = 4) async throws
        -> HTTPCall.Reply
    {
        try await chat.call("PUT", "\(reports)/\(id)", user: user, json: #"{"action":"\#(action)"}"#)
    }

    @Test("A18: a report keeps copies of the message and the five before it, even if they are edited or deleted later")
    func copies() async throws {
        try await Self.use { chat in
            for number in 1...6 { _ = try await chat.send("before \(number)", user: 3) }
            _ = try await chat.send("bad", user: 1)
            let made = try await Self.report(chat, seq: 7)
            #expect(made.status == 201, "\(made.text)")
            #expect(try made.json["state"]?.string == "open")
            // The reporter is told nothing beyond that, and reports the message once.
            #expect(try made.json["messages"] == nil)
            #expect(try await Self.report(chat, seq: 7).json["report_id"]?.string == made.json["report_id"]?.string)
            _ = try await chat.call("PUT", "\(Self.chats)/6", user: 3, json: #"{"content":"changed"}"#)
            _ = try await chat.call("DELETE", "\(Self.chats)/7", user: 1)
            let found = try await Self.list(chat)
            #expect(found.count == 1)
            let copies = found[0]["messages"]?.list ?? []
            let texts = copies.compactMap { $0["content"]?.string }
            #expect(texts == ["before 2", "before 3", "before 4", "before 5", "before 6", "bad"])
            #expect(copies.last?["user_id"]?.string == "1")
            #expect(found[0]["user"]?["nickname"]?.string == "n1")
            #expect(found[0]["reporter_id"] == nil)
            #expect(found[0]["room"]?.string == "channel-7")
            #expect(found[0]["seq"]?.int == 7)
        }
    }

    @Test("A18: reports of things that the user cannot see, of themselves, and beyond the daily limit are refused")
    func refused() async throws {
        try await Self.use(["user_daily_reports": "2"]) { chat in
            _ = try await chat.send("bad", user: 1)
            #expect(try await Self.report(chat, seq: 1, user: 6).errorCode == "E13")
            for seq in [9, 0, -1, .min, .max] {
                #expect(try await Self.report(chat, seq: seq).errorCode == "E13")
            }
            #expect(try await Self.report(chat, seq: 1, user: 1).errorCode == "E11")
            #expect(try await Self.report(chat, seq: 1, reason: "boring").errorCode == "E11")
            func report(_ json: String, user: Int64 = 2) async throws -> HTTPCall.Reply {
                try await chat.call("POST", "/v1/reports", user: user, json: json)
            }
            #expect(
                try await report(#"{"type":"user","user_id":"2","workspace_id":"3","reason":"spam"}"#).errorCode
                    == "E11")
            #expect(
                try await report(#"{"type":"user","user_id":"9","workspace_id":"3","reason":"spam"}"#).errorCode
                    == "E13")
            #expect(try await report(#"{"type":"thing","reason":"spam"}"#).errorCode == "E11")
            #expect(try await Self.report(chat, seq: 1).status == 201)
            #expect(
                try await report(#"{"type":"user","user_id":"1","workspace_id":"3","reason":"spam"}"#).status == 201)
            let late = try await report(#"{"type":"workspace","workspace_id":"3","reason":"spam"}"#)
            #expect(late.status == 429 && late.errorCode == "E98")
        }
    }

    @Test("A18: a deletion takes its place in the room's order, and answers the other reports of the message")
    func deletion() async throws {
        try await Self.use { chat in
            _ = try await chat.send("bad", user: 1)
            for user in [2, 3] as [Int64] { #expect(try await Self.report(chat, seq: 1, user: user).status == 201) }
            let open = try await Self.list(chat)
            #expect(open.count == 2)
            let id = try #require(open[0]["report_id"]?.string)
            for user in [1, 2] as [Int64] {
                #expect(try await Self.answer(chat, id, "delete", user: user).errorCode == "E14")
            }
            #expect(try await Self.answer(chat, id, "delete", user: 9).errorCode == "E13")
            #expect(try await Self.answer(chat, "999", "delete").errorCode == "E13")
            #expect(try await Self.answer(chat, id, "hide").errorCode == "E11")
            let listener = try RoomEventListener(chat.redis)
            for _ in 1...2 {
                let answered = try await Self.answer(chat, id, "delete")
                #expect(answered.status == 200, "\(answered.text)")
                #expect(try answered.json["action"]?.string == "delete")
            }
            #expect(try await Self.answer(chat, id, "warn").errorCode == "E15")
            let events = try await listener.events { events in events.contains { $0["type"]?.string == "changed" } }
            #expect(events.last?["rev"]?.int == 1)
            for (key, text) in [("native", ""), ("collatalk", "삭제된 메시지입니다.")] {
                #expect(try await chat.history(user: 3, key: key).map { $0["content"]?.string } == [text])
            }
            #expect(try await Self.list(chat).isEmpty)
            let answered = try await Self.list(chat, "?state=answered")
            #expect(answered.map { $0["action"]?.string } == ["delete", "delete"])
            #expect(answered[0]["messages"]?.list.last?["content"]?.string == "bad")
        }
    }

    @Test("A18: a warning counts once, and a removal is made by workspace-service")
    func warningsAndRemovals() async throws {
        try await Self.use { chat in
            _ = try await chat.send("bad", user: 1)
            _ = try await Self.report(chat, seq: 1, user: 2)
            _ = try await Self.report(chat, seq: 1, user: 3)
            let ids = try await Self.list(chat).compactMap { $0["report_id"]?.string }
            for _ in 1...2 { #expect(try await Self.answer(chat, ids[0], "warn").status == 200) }
            let standing = try await chat.call("GET", "/v1/workspaces/3/standing", user: 1)
            #expect(try standing.json["warnings"]?.int == 1)
            #expect(try standing.json["suspended"]?.bool == false)
            #expect(try await Self.answer(chat, ids[1], "remove").status == 200)
            #expect(chat.peers.now.removals == ["1 3 4"])
            // A removal is in the audit log by workspace-service.
            #expect(chat.peers.now.audited == ["moderation.warned chat-report-\(ids[0])-warn"])
        }
    }

    @Test("A18: reports about the owner and the workspace, and overdue ones, are in the queue of operators")
    func operators() async throws {
        try await Self.use(["report_term": "60s"]) { chat in
            _ = try await chat.send("by the owner", user: 4)
            _ = try await chat.send("bad", user: 1)
            for seq in 1...2 { _ = try await Self.report(chat, seq: seq) }
            _ = try await chat.call(
                "POST", "/v1/reports", user: 2, json: #"{"type":"workspace","workspace_id":"3","reason":"illegal"}"#)
            func queue(_ query: String = "") async throws -> [JSONValue] {
                try await chat.instances[0].internalCall("GET", "/internal/reports" + query).json["items"]?.list ?? []
            }
            #expect(try await Self.list(chat).map { $0["seq"]?.int } == [2])
            let found = try await queue()
            #expect(found.map { $0["type"]?.string } == ["message", "workspace"])
            // The workspace as it was when it was reported.
            chat.peers.change { $0.workspaceName = "renamed" }
            #expect(try await queue()[1]["workspace"]?["name"]?.string == "회사")
            #expect(found[1]["workspace"]?["image"]?.string == "/static/w.png" && found[0]["workspace"] == nil)
            #expect(found[0]["reporter_id"]?.string == "2")
            try await chat.database.database.run(sql: "update chat.report set created_at = created_at - 61000")
            #expect(try await queue().count == 3)
            let page = try await chat.instances[0].operatorCall("GET", "/operator/reports").json
            #expect(page["items"]?.list.count == 3 && page["complete"]?.bool == true)
            try await eventually(within: .seconds(40), "the overdue reports on the metrics page") {
                try await HTTPCall.get(port: chat.instances[0].running.internalAddress.port, "/metrics").text
                    .contains("maru_reports_overdue 3")
            }
            func answer(_ report: JSONValue, _ action: String) async throws -> HTTPCall.Reply {
                let id = report["report_id"]?.string ?? ""
                return try await chat.instances[0].internalCall(
                    "PUT", "/internal/reports/\(id)", json: #"{"action":"\#(action)"}"#)
            }
            #expect(try await answer(found[1], "remove").status == 422)
            #expect(try await answer(found[1], "dismiss").status == 200)
            #expect(try await answer(found[0], "delete").status == 200)
            #expect(try await chat.history(user: 2).map { $0["content"]?.string } == ["", "bad"])
        }
    }

    @Test("Answered reports and their copies are erased after their retention, and open ones are not")
    func retention() async throws {
        try await Self.use { chat in
            _ = try await chat.send("bad", user: 1)
            _ = try await Self.report(chat, seq: 1, user: 2)
            _ = try await Self.report(chat, seq: 1, user: 3)
            let id = try #require(try await Self.list(chat)[0]["report_id"]?.string)
            #expect(try await Self.answer(chat, id, "dismiss").status == 200)
            try await ReportFileTests.erase(chat)
            #expect(try await chat.database.ask("select count(*) from chat.report") == "2")
            try await chat.database.database.run(
                sql: "update chat.report set answered_at = answered_at - 90 * 86400000::bigint, created_at = 0")
            try await ReportFileTests.erase(chat)
            #expect(try await chat.database.ask("select count(*) from chat.report") == "1")
            #expect(try await chat.database.ask("select count(*) from chat.report_copy") == "1")
        }
    }
}
