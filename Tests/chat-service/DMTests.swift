import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Direct messages", .serialized)
struct DMTests {
    private static func open(
        _ chat: ChatHarness, _ user: Int64, with opponent: Int64, on instance: Int = 0
    ) async throws -> HTTPCall.Reply {
        try await chat.call(
            "POST", "/v1/workspaces/3/dms", user: user, json: #"{"opponent_id":"\#(opponent)"}"#, on: instance)
    }

    @Test("Two users have one DM in a workspace, even if both open it concurrently on several instances")
    func oneRoom() async throws {
        try await ChatHarness.use(instances: 2) { chat in
            let rooms = try await withThrowingTaskGroup(of: String.self) { group in
                for turn in 0..<24 {
                    group.addTask {
                        let (user, opponent): (Int64, Int64) = turn % 3 == 0 ? (1, 2) : (2, 1)
                        let reply = try await Self.open(chat, user, with: opponent, on: turn % 2)
                        return try reply.json["room_id"]?.string ?? reply.text
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(rooms.count == 1)
            let count = try await chat.database.ask("select count(*) from chat.dm")
            #expect(count == "1")
        }
    }

    @Test("A user is in a limited number of DMs of a workspace, and those that exist still open")
    func limit() async throws {
        try await ChatHarness.use(["user_dms": "2"]) { chat in
            for opponent in [2, 3] as [Int64] {
                let reply = try await Self.open(chat, 1, with: opponent)
                #expect(reply.status == 200)
            }
            for (user, opponent) in [(1, 4), (4, 1)] as [(Int64, Int64)] {
                let full = try await Self.open(chat, user, with: opponent)
                #expect(full.errorCode == "E11", "\(user) with \(opponent)")
                let implicit = try await chat.call(
                    "GET", "/v1/workspaces/3/dms/\(opponent)/chats", user: user, key: "sooda")
                #expect(implicit.errorCode == "E11")
            }
            let again = try await Self.open(chat, 2, with: 1)
            #expect(again.status == 200)
            let others = try await Self.open(chat, 2, with: 4)
            #expect(others.status == 200)
        }
    }

    @Test("Only its two members can use a DM, and each sees the other as the opponent")
    func privacy() async throws {
        try await ChatHarness.use { chat in
            let room = try await Self.open(chat, 1, with: 2).json["room_id"]?.string ?? ""
            let chats = "/v1/workspaces/3/dms/\(room)/chats"
            let sent = try await chat.call("POST", chats, user: 1, json: #"{"content":"psst"}"#)
            #expect(sent.status == 201)
            for (method, path, json) in [
                ("GET", chats, nil), ("POST", chats, #"{"content":"me too"}"#),
                ("GET", "/v1/workspaces/3/dms/\(room)/unreads", nil),
                ("PUT", "/v1/workspaces/3/dms/\(room)/read", #"{"seq":1}"#),
                ("GET", "/v1/workspaces/4/dms/\(room)/chats", nil),
            ] as [(String, String, String?)] {
                let user: Int64 = path.contains("/4/") ? 1 : 3
                let reply = try await chat.call(method, path, user: user, json: json)
                #expect(reply.errorCode == "E13", "\(method) \(path)")
            }
            let unread = try await chat.call("GET", "/v1/workspaces/3/dms/\(room)/unreads", user: 2)
            #expect(try unread.json["count"]?.int == 1)
            for (user, opponent) in [(1, "2"), (2, "1")] as [(Int64, String)] {
                let list = try await chat.call("GET", "/v1/workspaces/3/dms", user: user)
                #expect(try list.json[0]?["user"]?["user_id"]?.string == opponent)
            }
            let third = try await chat.call("GET", "/v1/workspaces/3/dms", user: 3)
            #expect(third.text == "[]")
        }
    }

    @Test("A DM with oneself or with a user outside the workspace is rejected")
    func refusals() async throws {
        try await ChatHarness.use { chat in
            let oneself = try await Self.open(chat, 1, with: 1)
            #expect(oneself.errorCode == "E11")
            let outsider = try await Self.open(chat, 1, with: 99)
            #expect(outsider.errorCode == "E13")
            let stranger = try await Self.open(chat, 99, with: 1)
            #expect(stranger.errorCode == "E13")
            let count = try await chat.database.ask("select count(*) from chat.dm")
            #expect(count == "0")
        }
    }

    @Test("A DM created while one member leaves the workspace stays closed until that member returns")
    func leavingMeanwhile() async throws {
        for leaver in [1, 2] as [Int64] {
            try await ChatHarness.use { chat in
                chat.peers.change { $0.leavingWhenSeen = [leaver] }
                #expect(try await Self.open(chat, 1, with: 2).errorCode == "E13")
                let room = try await chat.database.ask("select id from chat.dm")
                let chats = "/v1/workspaces/3/dms/\(room)/chats"
                for user in [1, 2] as [Int64] {
                    let reply = try await chat.call("POST", chats, user: user, json: #"{"content":"hello?"}"#)
                    #expect(reply.errorCode == "E13", "\(user)")
                }
                chat.peers.change { $0.workspaces[3]?.insert(leaver) }
                try await chat.publishFact(
                    1, "workspace.member.added", #"{"workspace_id":"3","user_id":"\#(leaver)","version":9}"#)
                try await eventually("the return") {
                    try await chat.call("POST", chats, user: leaver, json: #"{"content":"hello"}"#).status == 201
                }
            }
        }
    }

    @Test("While Redis is away, a former member of the workspace can neither read nor write its DMs")
    func leftWithoutRedis() async throws {
        try await ChatHarness.use { chat in
            let room = try await Self.open(chat, 1, with: 2).json["room_id"]?.string ?? ""
            let dm = "/v1/workspaces/3/dms/\(room)"
            let form = [("Content-Type", "multipart/form-data; boundary=\(Upload.boundary)")]
            let sent = try await chat.call("POST", dm + "/chats", headers: form, body: Upload.form([.png], []))
            let file = "/v1" + (try sent.json["files"]?[0]?.string ?? "")
            @Sendable func codes(_ user: Int64) async throws -> [String] {
                var codes: [String] = []
                for path in [dm + "/chats", dm + "/unreads", file] {
                    codes.append(try await chat.call("GET", path, user: user).errorCode)
                }
                let text = #"{"content":"still there?"}"#
                codes.append(try await chat.call("POST", dm + "/chats", user: user, json: text).errorCode)
                let access = try await chat.instances[0].internalCall(
                    "POST", "/internal/dms/access", json: #"{"user_id":"\#(user)","rooms":["\#(room)"]}"#)
                return codes + [try access.json["dms"]?[0] == nil ? "none" : ""]
            }
            await chat.redis.kill()
            #expect(try await codes(2) == ["", "", "", "", ""])
            chat.peers.change { $0.workspaces[3]?.remove(2) }
            try await eventually("the loss of access") {
                try await codes(2) == ["E13", "E13", "E13", "E13", "none"]
            }
            #expect(try await codes(1) == ["", "", "", "E13", ""])
        }
    }

    @Test("The first generation reads a DM by the opponent's id, which opens the DM")
    func byOpponent() async throws {
        try await ChatHarness.use { chat in
            let empty = try await chat.call("GET", "/v1/workspaces/3/dms/2/chats", key: "sooda")
            let room = try empty.json["room_id"]?.int ?? 0
            #expect(empty.text.contains(#""chats":[]"#))
            let sent = try await chat.call(
                "POST", "/v1/workspaces/3/dms/\(room)/chats", key: "sooda", json: #"{"content":"hi"}"#)
            #expect(try sent.json["room_id"]?.int == room)
            let read = try await chat.call("GET", "/v1/workspaces/3/dms/1/chats", user: 2, key: "sooda")
            #expect(try read.json["room_id"]?.int == room)
            #expect(try read.json["chats"]?[0]?["content"]?.string == "hi")
        }
    }
}
