import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Access of a search", .serialized)
struct SearchAccessTests {
    @Test("S1 A removed member finds nothing of the channel, and finds it again after a return")
    func removedFromChannel() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("회의")
            try await chat.untilIndexed()
            #expect(try await chat.found("회의", user: 2) == ["회의"])
            chat.peers.change { $0.channels[7]?.members.remove(2) }
            #expect(try await chat.found("회의", user: 2) == [])
            #expect(try await chat.found("회의", "&in=channel-7", user: 2) == [])
            #expect(try await chat.found("회의") == ["회의"])
            chat.peers.change { $0.channels[7]?.members.insert(2) }
            #expect(try await chat.found("회의", user: 2) == ["회의"])
        }
    }

    @Test("S1 A former member of the workspace can neither search nor find in it")
    func leftWorkspace() async throws {
        try await ChatHarness.use { chat in
            _ = try await chat.send("회의")
            try await chat.untilIndexed()
            chat.peers.change { $0.workspaces[3]?.remove(2) }
            for path in ["search", "find"] {
                let reply = try await chat.call("GET", "/v1/workspaces/3/\(path)?q=a", user: 2)
                #expect(reply.errorCode == "E13")
            }
        }
    }

    @Test("Filters are resolved for members only, and ask for the caller's channels once")
    func filters() async throws {
        try await ChatHarness.use { chat in
            let stranger = try await chat.search("회의 from:someone in:general", user: 99)
            #expect(stranger.status == 404)
            #expect(chat.peers.now.count("/internal/workspaces/3/members") == 0)
            #expect(chat.peers.now.count("/internal/users/99/channels") == 0)
            let query = (0..<25).map { "in:a\($0)" }.joined(separator: " ")
            #expect(try await chat.found(query) == [])
            #expect(chat.peers.now.count("/internal/users/1/channels") == 1)
        }
    }

    @Test("S1 A DM is found by its two members only, and not after one has left the workspace")
    func directMessages() async throws {
        try await ChatHarness.use { chat in
            let path = try await chat.dm(1, 2) + "/chats"
            _ = try await chat.call("POST", path, json: #"{"content":"회의 비밀"}"#)
            try await chat.untilIndexed()
            for (user, expected) in [(1, ["회의 비밀"]), (2, ["회의 비밀"]), (3, [])] as [(Int64, [String])] {
                #expect(try await chat.found("비밀", user: user) == expected, "user \(user)")
            }
            try await chat.publishFact(
                1, "workspace.member.removed", #"{"workspace_id":"3","user_id":"2","version":2}"#)
            try await eventually("the end of the DM") { try await chat.found("비밀", user: 2) == [] }
            #expect(try await chat.found("비밀") == ["회의 비밀"])
        }
    }

    @Test("S1 A closed room is not found from the moment of its closing, before and after its erasure")
    func closedRoom() async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { $0.channels[8]?.members = [1, 2] }
            _ = try await chat.send("회의 하나")
            _ = try await chat.send("회의 둘", to: 8)
            try await chat.untilIndexed()
            #expect(try await chat.found("회의") == ["회의 둘", "회의 하나"])
            chat.peers.change { $0.channels[8] = nil }
            #expect(try await chat.found("회의") == ["회의 하나"])
            try await chat.publishFact(
                1, "channel.deleted", #"{"channel_id":"8","workspace_id":"3","name":"random","version":2}"#)
            try await eventually("the erasure") {
                try await chat.database.ask("select count(*) from chat.search_message where workspace > 0") == "1"
            }
            #expect(try await chat.found("회의") == ["회의 하나"])
        }
    }

    @Test("S1 A17: a blocker finds nothing of the blocked author; the author finds the blocker's messages as before")
    func blocked() async throws {
        try await ChatHarness.use { chat in
            try await chat.redis.untilHeard("invalidate:blocks", by: 1)
            for (text, user) in [("회의 하나", 1), ("회의 둘", 2), ("회의 셋", 3)] as [(String, Int64)] {
                _ = try await chat.send(text, user: user)
            }
            try await chat.untilIndexed()
            let all = ["회의 셋", "회의 둘", "회의 하나"]
            @Sendable func set(_ blocked: [Int64: Set<Int64>]) async throws {
                chat.peers.change { $0.blocked = blocked }
                try await chat.redis.command("PUBLISH", "invalidate:blocks", #"{"user_id":"1","blocked":"2"}"#)
            }
            #expect(try await chat.found("회의") == all)
            try await set([1: [2]])
            try await eventually("the block") { try await chat.found("회의") == ["회의 셋", "회의 하나"] }
            for query in ["회의 from:2", "회의 from:n2", "둘", "\"회의 둘\""] {
                #expect(try await chat.found(query) == [], "\(query)")
                #expect(try await chat.found(query, "&sort=best") == [], "\(query)")
            }
            for user in [2, 3] as [Int64] { #expect(try await chat.found("회의", user: user) == all, "user \(user)") }
            try await set([:])
            try await eventually("the end of the block") { try await chat.found("회의") == all }
        }
    }

    @Test("Members are kept between searches, and a hint makes a new member and a new nickname known")
    func names() async throws {
        try await ChatHarness.use { chat in
            @Sendable func find(_ text: String) async throws -> [String] {
                let reply = try await chat.call(
                    "GET", "/v1/workspaces/3/find?q=\(PercentEncoding.strict.encode(text))")
                return try reply.json["users"]?.elements?.compactMap { $0["nickname"]?.string } ?? []
            }
            try await chat.untilCached("/internal/workspaces/3/members") { _ = try await find("n2") }
            #expect(try await find("n2") == ["n2"])
            let asked = chat.peers.now.asked.count
            #expect(try await find("n3") == ["n3"])
            // Only access is asked for again.
            let again = chat.peers.now.asked.dropFirst(asked)
            #expect(!again.contains { $0.contains("/members") || $0.contains("profiles") })
            chat.peers.change { peers in
                peers.workspaces[3]?.insert(77)
                peers.nicknames[77] = "새사람"
            }
            try await chat.redis.command("PUBLISH", "invalidate:access", #"{"workspace_id":"3","user_id":"77"}"#)
            try await eventually("the new member") { try await find("ㅅㅅㄹ") == ["새사람"] }
            chat.peers.change { $0.nicknames[77] = "헌사람" }
            try await chat.redis.command("PUBLISH", "invalidate:users", #"{"user_id":"77","version":9}"#)
            try await eventually("the new nickname") { try await find("헌사") == ["헌사람"] }
        }
    }
}
