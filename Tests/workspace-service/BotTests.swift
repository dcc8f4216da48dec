import EventLoop
import ServiceKit
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import workspace_service

@Suite("Bots", .serialized)
struct BotTests {
    @Test("A bot that is removed while a token is made for it keeps no token")
    func removedMeanwhile() async throws {
        try await WorkspaceHarness.use(["database_connections": "4"]) { harness in
            let id = try await harness.makeWorkspace()
            let bots = "/v1/workspaces/\(id)/bots"
            let made = try await harness.call("POST", bots, json: #"{"name":"builder"}"#)
            let bot = try #require(try made.json["bot_id"]?.string)
            let (tokens, json) = ("\(bots)/\(bot)/tokens", #"{"name":"ci","scopes":["read"]}"#)
            let kept = try await harness.call("POST", tokens, json: json)
            #expect(try kept.json["token"]?.string?.hasPrefix("maru_bot_") == true, "\(kept.text)")
            #expect(harness.peers.now.endedTokens == [])

            harness.peers.change { $0.holdsTokens = true }
            async let late = harness.call("POST", tokens, json: json)
            try await eventually("the second token") { harness.peers.now.madeTokens == 2 }
            let removed = try await harness.call("DELETE", "/v1/workspaces/\(id)/members/\(bot)")
            #expect(removed.status == 200, "\(removed.text)")
            harness.peers.change { $0.holdsTokens = false }
            let refused = try await late
            #expect(refused.errorCode == "E11" && refused.text.contains("not in the workspace"), "\(refused.text)")
            #expect(harness.peers.now.endedTokens == ["\(bot) 4"])
            let again = try await harness.call("POST", tokens, json: json)
            #expect(again.errorCode == "E11")
        }
    }

    @Test("A muted or suspended admin makes no bot and gets no token to write by, and may end both")
    func muted() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            try await harness.invite(2, to: id)
            let role = try await harness.call(
                "PUT", "/v1/workspaces/\(id)/members/2/role", json: #"{"role":"admin"}"#)
            #expect(role.status == 200, "\(role.text)")
            let bots = "/v1/workspaces/\(id)/bots"
            func call(_ method: String, _ path: String, _ json: String? = nil) async throws -> String {
                try await harness.call(method, bots + path, user: 2, json: json).errorCode
            }
            let made = try await harness.call("POST", bots, user: 2, json: #"{"name":"builder"}"#)
            let bot = "/" + (try #require(try made.json["bot_id"]?.string, "\(made.text)"))
            let token = #"{"name":"ci","scopes":["write"]}"#
            #expect(try await call("POST", bot + "/tokens", token) == "")
            harness.peers.change { $0.muted = [2] }
            #expect(try await call("POST", "", #"{"name":"other"}"#) == "E14")
            #expect(try await call("POST", bot + "/tokens", token) == "E14")
            #expect(try await call("POST", bot + "/tokens/4/secret") == "E14")
            #expect(harness.peers.now.madeBots == 1 && harness.peers.now.madeTokens == 1)
            // An upgrade fails no call: chat-service may be older for a moment.
            harness.peers.change { $0.knowsNoWriters = true }
            #expect(try await call("POST", bot + "/tokens", token) == "")
            #expect(try await call("DELETE", bot + "/tokens/4") == "")
            #expect(try await call("DELETE", bot) == "")
        }
    }

    @Test("The deletion of a workspace leaves no row of its bots")
    func deletedWithWorkspace() async throws {
        try await WorkspaceHarness.use { harness in
            let id = try await harness.makeWorkspace()
            let made = try await harness.call("POST", "/v1/workspaces/\(id)/bots", json: #"{"name":"builder"}"#)
            #expect(made.status == 201, "\(made.text)")
            #expect(try await harness.call("DELETE", "/v1/workspaces/\(id)").status == 200)
            #expect(
                try await harness.sql("select (select count(*) from bot), (select count(*) from second_factor)")
                    == "0|0")
        }
    }

    @Test("Concurrent calls make no more bots than the limit, and the accounts of the refused ones are ended")
    func limit() async throws {
        try await WorkspaceHarness.use(["database_connections": "6", "workspace_bots": "1"]) { harness in
            let id = try await harness.makeWorkspace()
            // All three calls wait for the workspace.
            let codes = try await harness.database.holding(
                "select from workspace.workspace where id = \(id) for update", untilWaiting: 3
            ) {
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<3 {
                        group.addTask {
                            let reply = try await harness.call(
                                "POST", "/v1/workspaces/\(id)/bots", json: #"{"name":"builder"}"#)
                            return reply.status == 201 ? "ok" : reply.errorCode
                        }
                    }
                    return try await group.reduce(into: [String]()) { $0.append($1) }
                }
            }
            #expect(codes.sorted() == ["E11", "E11", "ok"])
            #expect(try await harness.sql("select count(*) from bot") == "1")
            #expect(harness.peers.now.endedBots.count == 2)
        }
    }

    @Test("A client that goes away while its bot is made leaves no account that is not in the list of bots")
    func clientGone() async throws {
        try await WorkspaceHarness.use(["database_connections": "4"]) { harness in
            let id = try await harness.makeWorkspace()
            let body = #"{"name":"builder"}"#
            let head = [
                "POST /v1/workspaces/\(id)/bots HTTP/1.1", "Host: 127.0.0.1", "SesacKey: native",
                "Authorization: " + harness.peers.tokens.token(user: 1, key: "native"),
                "Content-Type: application/json", "Content-Length: \(body.count)",
            ]
            let lock = "select from workspace.workspace where id = \(id) for update"
            try await harness.database.holding(lock, untilWaiting: 2) {
                // Not before: a connection that sends nothing for ten seconds is closed.
                let client = try RawConnection(port: harness.instances[0].running.publicAddress.port)
                try client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
                try await harness.database.untilBlocked()
                client.finishSending()
                // The sessions that wait end the hold.
                async let first = harness.database.run(sql: lock)
                async let second = harness.database.run(sql: lock)
                _ = try await (first, second)
                withExtendedLifetime(client) {}
            }
            try await eventually("the outcome") {
                let bots = try await harness.sql("select count(*) from bot")
                return Int(bots) == Int(harness.peers.now.madeBots) - harness.peers.now.endedBots.count
            }
            #expect(harness.peers.now.madeBots == 1)
        }
    }
}
