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
}
