import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Locked-out members", .serialized)
struct LockOutTests {
    @Test("A20: a member locked out for lack of a second factor learns the reason, until they are let in")
    func lockOut() async throws {
        try await ChatHarness.use { chat in
            try await chat.redis.untilHeard("invalidate:access", by: 1)
            let channel = "/v1/workspaces/3/channels/7"
            let opened = try await chat.call("POST", "/v1/workspaces/3/dms", user: 2, json: #"{"opponent_id":"1"}"#)
            let room = try #require(try opened.json["room_id"]?.string)
            let dm = "/v1/workspaces/3/dms/\(room)"
            for path in [channel, dm] {
                let sent = try await chat.call("POST", path + "/chats", user: 2, json: #"{"content":"one"}"#)
                #expect(sent.status == 201, "\(sent.text)")
            }
            let listener = try RoomEventListener(chat.redis)
            func change(_ type: String, version: Int) async throws {
                try await chat.publishFact(
                    version, type, #"{"workspace_id":"3","user_id":"2","version":\#(version)}"#)
                try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"2"}"#)
            }
            chat.peers.change { $0.lockedOut = [2] }
            try await change("workspace.member.removed", version: 5)
            _ = try await listener.events { events in
                events.contains { $0["type"]?.string == "removed" && $0["room"]?.string == "dm-\(room)" }
            }

            func calls(user: Int64, key: String = "native") async throws -> Set<String> {
                let all: [(String, String, String?)] = [
                    ("GET", channel + "/chats", nil), ("POST", channel + "/chats", #"{"content":"two"}"#),
                    ("GET", dm + "/chats", nil), ("POST", dm + "/chats", #"{"content":"two"}"#),
                    ("GET", "/v1/workspaces/3/dms", nil), ("GET", "/v1/workspaces/3/rooms", nil),
                ]
                var answers: Set<String> = []
                for (method, path, json) in all {
                    let reply = try await chat.call(method, path, user: user, key: key, json: json)
                    answers.insert((200...201).contains(reply.status) ? "ok" : reply.errorCode)
                }
                return answers
            }
            // The hint may come after the fact.
            try await eventually("the hint has arrived") {
                try await chat.call("GET", channel + "/chats", user: 2, key: "native").errorCode == "E08"
            }
            #expect(try await calls(user: 2) == ["E08"])
            let legacy = try await chat.call("GET", channel + "/chats", user: 2, key: "gen-2024-07")
            #expect(legacy.errorCode == "E14", "\(legacy.text)")
            for room in ["channel-7", "dm-\(room)"] {
                let report = try await chat.call(
                    "POST", "/v1/reports", user: 2,
                    json: #"{"type":"message","room":"\#(room)","seq":1,"reason":"spam"}"#)
                #expect(report.errorCode == "E08")
            }
            // Others are told nothing of the kind, and somebody without access learns nothing of the workspace.
            #expect(try await chat.history(user: 1).count == 1)
            #expect(try await calls(user: 9) == ["E13"])

            chat.peers.change { $0.lockedOut = [] }
            try await change("workspace.member.added", version: 6)
            try await eventually("the second member of the DM") {
                try await chat.call("GET", dm + "/chats", user: 2).status == 200
            }
            #expect(try await calls(user: 2) == ["ok"])
        }
    }
}
