import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Drafts", .serialized)
struct DraftTests {
    private static func put(
        _ chat: ChatHarness, _ json: String, user: Int64 = 1, _ room: String = ChatHarness.channel, on instance: Int = 0
    ) async throws -> HTTPCall.Reply {
        try await chat.call("PUT", "\(room)/draft", user: user, json: json, on: instance)
    }

    @Test("A draft is kept for each room and thread, shown on every device and cleared by an empty text")
    func keeping() async throws {
        try await ChatHarness.use(instances: 2) { chat in
            let dm = try await chat.dm(1, 2)
            _ = try await chat.send("뿌리")
            for (json, room) in [
                (#"{"content":"하나"}"#, ChatHarness.channel), (#"{"content":"둘"}"#, ChatHarness.channel),
                (#"{"content":"답","thread":1}"#, ChatHarness.channel), (#"{"content":"쪽지"}"#, dm),
            ] {
                #expect(try await Self.put(chat, json, room, on: 1).status == 200)
            }
            let channel = try await chat.room("channel_id", "7")
            #expect(channel["draft"]?["content"]?.string == "둘" && channel["draft"]?["updatedAt"]?.string != nil)
            #expect(channel["threadDrafts"]?[0]?["thread"]?.int == 1)
            #expect(channel["threadDrafts"]?[0]?["content"]?.string == "답")
            let direct = try await chat.room("room_id", dm.split(separator: "/").last.map(String.init) ?? "")
            #expect(direct["draft"]?["content"]?.string == "쪽지" && direct["threadDrafts"] == nil)
            let others = try await chat.room("channel_id", "7", user: 2)
            #expect(others["draft"] == nil)
            for json in [#"{"content":""}"#, #"{"content":"","thread":1}"#, #"{"content":"","thread":77}"#] {
                #expect(try await Self.put(chat, json).status == 200)
            }
            let cleared = try await chat.room("channel_id", "7")
            #expect(cleared["draft"] == nil && cleared["threadDrafts"] == nil)
        }
    }

    @Test("The last writer wins by time, even if an older draft arrives after it was cleared")
    func order() async throws {
        try await ChatDatabase.use { database in
            let (user, room) = (UserID(1), RoomID(ChannelID(7)))
            let key = RoomKey(workspace: WorkspaceID(3), id: room)
            let now = Timestamp.now
            func put(_ content: String, after seconds: Int64) async throws -> String {
                try await database.run { pool in
                    let store = DraftStore(database: pool)
                    let draft = Draft(thread: nil, content: content, updatedAt: now + .seconds(seconds))
                    #expect(try await store.put(draft, of: user, in: key, limit: 1))
                    return try await store.list(of: user, in: [WorkspaceID(3)])[room]?.first?.content ?? ""
                }
            }
            #expect(try await put("새", after: 2) == "새")
            #expect(try await put("옛", after: 1) == "새")
            #expect(try await put("", after: 4) == "")
            #expect(try await put("늦은", after: 3) == "")
            #expect(try await put("다시", after: 4) == "다시")
            // An instance with a clock that is an hour ahead has written it.
            #expect(try await put("앞선", after: 3600) == "앞선")
            #expect(try await put("지금", after: 5) == "지금")
            #expect(try await put("", after: 3600) == "")
            #expect(try await put("끝", after: 6) == "끝")
            let rows = try await database.ask("select count(*) from chat.draft")
            #expect(rows == "1")
        }
    }

    @Test("A draft in a thread belongs to its root, and a thread of a deleted message takes none, but is cleared")
    func threads() async throws {
        try await ChatHarness.use { chat in
            let chats = "\(ChatHarness.channel)/chats"
            _ = try await chat.send("뿌리")
            for _ in 2...3 { _ = try await chat.call("POST", chats, json: #"{"content":"답글","thread":1}"#) }
            #expect(try await Self.put(chat, #"{"content":"하나","thread":2}"#).status == 200)
            #expect(try await Self.put(chat, #"{"content":"둘","thread":1}"#).status == 200)
            let room = try await chat.room("channel_id", "7")
            let drafts = room["threadDrafts"]?.elements.map(Array.init) ?? []
            #expect(drafts.map { $0["thread"]?.int } == [1] && drafts.first?["content"]?.string == "둘")
            _ = try await chat.call("DELETE", "\(chats)/3")
            #expect(try await Self.put(chat, #"{"content":"셋","thread":3}"#).errorCode == "E13")
            _ = try await chat.call("DELETE", "\(chats)/1")
            for thread in [1, 2] {
                let refused = try await Self.put(chat, #"{"content":"셋","thread":\#(thread)}"#)
                #expect(refused.errorCode == "E13", "\(thread)")
            }
            let kept = try await chat.room("channel_id", "7")["threadDrafts"]?[0]?["content"]?.string
            #expect(kept == "둘")
            #expect(try await Self.put(chat, #"{"content":"","thread":2}"#).status == 200)
            let cleared = try await chat.room("channel_id", "7")
            #expect(cleared["threadDrafts"] == nil)
        }
    }

    @Test("Cleared drafts are forgotten after a while")
    func forgetting() async throws {
        try await ChatDatabase.use { database in
            try await database.run { pool in
                let store = DraftStore(database: pool)
                for (room, seconds) in [(1, 0), (2, 0), (3, 601)] as [(Int64, Int64)] {
                    let draft = Draft(
                        thread: nil, content: room == 2 ? "a" : "", updatedAt: Timestamp(seconds: 1000 + seconds))
                    let key = RoomKey(workspace: WorkspaceID(3), id: RoomID(ChannelID(room)))
                    _ = try await store.put(draft, of: UserID(1), in: key, limit: 9)
                }
            }
            #expect(try await database.ask("select string_agg(room::text, ',' order by room) from chat.draft") == "2,3")
        }
    }

    @Test("A user has a limited number of drafts, and those that exist may still change")
    func limit() async throws {
        try await ChatHarness.use(["user_drafts": "2"]) { chat in
            chat.peers.change { $0.channels[8]?.members = [1] }
            let other = "/v1/workspaces/3/channels/8"
            let dm = try await chat.dm(1, 2)
            #expect(try await Self.put(chat, #"{"content":"a"}"#).status == 200)
            #expect(try await Self.put(chat, #"{"content":"b"}"#, other).status == 200)
            #expect(try await Self.put(chat, #"{"content":"c"}"#, dm).errorCode == "E11")
            #expect(try await Self.put(chat, #"{"content":"d"}"#).status == 200)
            #expect(try await Self.put(chat, #"{"content":""}"#, other).status == 200)
            #expect(try await Self.put(chat, #"{"content":"e"}"#, dm).status == 200)
        }
    }

    @Test("A draft that is not valid changes nothing")
    func refusing() async throws {
        try await ChatHarness.use { chat in
            let long = String(repeating: "가", count: 10_001)
            for (json, code) in [
                ("{}", "E11"), (#"{"content":5}"#, "E11"), (#"{"content":"a\u0000"}"#, "E11"),
                (#"{"content":"\#(long)"}"#, "E11"), (#"{"content":"a","thread":"x"}"#, "E11"),
                (#"{"content":"a","thread":1}"#, "E13"), (#"{"content":"a","thread":-1}"#, "E13"),
            ] {
                #expect(try await Self.put(chat, json).errorCode == code, "\(json.prefix(40))")
            }
            let outside = try await Self.put(chat, #"{"content":"a"}"#, user: 5)
            #expect(outside.errorCode == "E13")
            let rows = try await chat.database.ask("select count(*) from chat.draft")
            #expect(rows == "0")
        }
    }
}
