import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Hints about access", .serialized)
struct AccessHintTests {
    @Test(
        "The fact of a changed membership repeats its hint, which may have been lost",
        arguments: [
            ("workspace.member.added", ""), ("workspace.member.removed", ""),
            ("channel.member.added", #""channel_id":"7","name":"general","#),
            ("channel.member.removed", #""channel_id":"7","name":"general","#),
        ])
    func repeated(_ type: String, _ channel: String) async throws {
        try await ChatHarness.use { chat in
            let listener = try HintListener(chat.redis, "invalidate:access")
            try await chat.publishFact(1, type, #"{"workspace_id":"3",\#(channel)"user_id":"2","version":9}"#)
            let hint = try await listener.next()
            #expect(hint["workspace_id"]?.string == "3" && hint["user_id"]?.string == "2")
            #expect(hint["channel_id"]?.string == (channel.isEmpty ? nil : "7"))
        }
    }

    @Test("A new DM is announced again if it is opened again soon: the first call may have failed after its commit")
    func openedAgain() async throws {
        try await ChatHarness.use { chat in
            let listener = try HintListener(chat.redis, "invalidate:access")
            for user in [Int64(1), 1, 2] {
                let opened = try await chat.call(
                    "POST", "/v1/workspaces/3/dms", user: user, json: #"{"opponent_id":"\#(3 - user)"}"#)
                #expect(opened.status == 200)
                let hints = [try await listener.next(), try await listener.next()]
                #expect(Set(hints.map { $0["user_id"]?.string }) == ["1", "2"])
                #expect(hints.allSatisfy { $0["workspace_id"]?.string == "3" && $0["channel_id"] == nil })
            }
        }
    }

    @Test(
        "Cached access is read again after a hint for its user, for all users of its channel, and for the whole workspace",
        arguments: [
            #"{"workspace_id":"3","user_id":"2"}"#, #"{"workspace_id":"3","channel_id":"7"}"#,
            #"{"workspace_id":"3"}"#,
        ])
    func hints(_ hint: String) async throws {
        try await ChatHarness.use { chat in
            @Sendable func read() async throws -> UInt16 {
                UInt16(try await chat.call("GET", "/v1/workspaces/3/channels/7/chats", user: 2).status)
            }
            try await chat.untilCached("/internal/access") { _ = try await read() }
            chat.peers.change { _ = $0.workspaces[3]?.remove(2) }
            // Access to another workspace's channels stays cached.
            try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"4"}"#)
            let before = chat.peers.now.count("/internal/access")
            #expect(try await read() == 200)
            #expect(chat.peers.now.count("/internal/access") == before)
            try await chat.redis.command("PUBLISH", "invalidate:access", hint)
            try await eventually("a refusal") { try await read() != 200 }
        }
    }
}
