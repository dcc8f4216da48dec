import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Refused changes of messages", .serialized)
struct ChangeRefusalTests {
    private static let chats = "/v1/workspaces/3/channels/7/chats"
    private static let thumb = "%F0%9F%91%8D"

    @Test("Shipped apps do not have the routes of the native API")
    func shipped() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("one")
            for key in ["collatalk", "collabee", "gathering", "gen-2024-07", "sooda", "gen-2024-01"] {
                for (method, path) in [("PUT", "/1"), ("DELETE", "/1"), ("GET", "/1"), ("PUT", "/1/pin")] {
                    let reply = try await chat.call(method, Self.chats + path, key: key, json: #"{"content":"x"}"#)
                    #expect(reply.errorCode == "E97", "\(key) \(method) \(path)")
                }
            }
            #expect(try await chat.database.ask("select rev from chat.room where id = 7") == "0")
        }
    }

    @Test("A message older than edit_window is not edited any more, and keeps its text and earlier texts")
    func window() async throws {
        try await ChatHarness.use(["edit_window": "3600s"]) { chat in
            _ = try await chat.send("one")
            #expect(try await chat.call("PUT", Self.chats + "/1", json: #"{"content":"two"}"#).status == 200)
            try await chat.database.database.run(sql: "update chat.message set created_at = created_at - 3600001")
            let late = try await chat.call("PUT", Self.chats + "/1", json: #"{"content":"three"}"#)
            #expect(late.errorCode == "E14", "\(late.text)")
            let kept = "select content, rev, (select count(*) from chat.message_version) from chat.message"
            #expect(try await chat.database.ask(kept) == "two|1|1")
        }
    }

    @Test("Invalid changes have the error of the page and write nothing")
    func badInput() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("one")
            _ = try await chat.send("elsewhere", to: 8)
            _ = try await chat.send("elsewhere", to: 8)
            let large = #"{"content":"\#(String(repeating: "x", count: 10 << 20))"}"#
            for (method, path, json, code) in [
                ("PUT", "/2", #"{"content":"x"}"#, "E13"), ("PUT", "/0", #"{"content":"x"}"#, "E13"),
                ("PUT", "/x", #"{"content":"x"}"#, "E13"), ("PUT", "/99999999999999999999", #"{"content":"x"}"#, "E13"),
                ("PUT", "/1", "{}", "E11"), ("PUT", "/1", #"{"content":""}"#, "E11"),
                ("PUT", "/1", #"{"content":7}"#, "E11"),
                ("PUT", "/1", large, "E11"),
                ("PUT", "/1", #"{"content":"\#(String(repeating: "가", count: 10_001))"}"#, "E11"),
                ("DELETE", "/2", nil, "E13"), ("GET", "/2", nil, "E13"), ("GET", "/2/versions", nil, "E13"),
                ("PUT", "/2/pin", nil, "E13"), ("PUT", "/2/saved", nil, "E13"), ("DELETE", "/2/saved", nil, "E13"),
                ("PUT", "/2/reactions/\(Self.thumb)", nil, "E13"), ("PUT", "/1/reactions/a", nil, "E11"),
                ("PUT", "/1/reactions/%F0%9F%91%8D%F0%9F%91%8D", nil, "E11"),
                ("PUT", "/1/reactions/%EC%A2%8B", nil, "E11"),
                ("DELETE", "/1/reactions/1", nil, "E11"),
            ] as [(String, String, String?, String)] {
                let reply = try await chat.call(method, Self.chats + path, json: json)
                #expect(
                    reply.errorCode == code, "\(method) \(path) \(json?.prefix(40) ?? ""): \(reply.text.prefix(200))")
            }
            for query in ["?after_rev=-1", "?limit=0", "?limit=501", "?after_rev=x"] {
                let reply = try await chat.call("GET", "/v1/workspaces/3/channels/7/changes\(query)")
                #expect(reply.errorCode == "E11", "\(query)")
            }
            let cursor = try await chat.call("GET", "/v1/workspaces/3/channels/7/pins?cursor=x")
            #expect(cursor.errorCode == "E11")
            let written = try await chat.database.ask(
                "select sum(rev) from chat.room; select count(*) from chat.message_change")
            #expect(written == "0\n0")
        }
    }
}
