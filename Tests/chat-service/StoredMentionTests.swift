import Contract
import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Stored mentions", .serialized)
struct StoredMentionTests {
    private static let chats = "/v1/workspaces/3/channels/7/chats"

    /// Channel 7. The nicknames of its members contain each other, spaces and emoji.
    private static func use(_ body: (ChatHarness) async throws -> Void) async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { state in
                state.nicknames = [1: "민지", 2: "민지수", 3: "김 민지", 4: "🌱새싹"]
                state.present = [1, 2, 4]
            }
            try await body(chat)
        }
    }

    private static func users(_ message: JSONValue?) -> [String] {
        message?["mentions"]?.elements?.map { $0["user_id"]?.string ?? $0["type"]?.string ?? "?" } ?? []
    }

    private static func inbox(_ chat: ChatHarness, _ user: Int64, _ query: String = "") async throws -> [Int] {
        let list = try await chat.call("GET", "/v1/workspaces/3/mentions\(query)", user: user).json
        return list["items"]?.elements?.map { $0["message"]?["seq"]?.int ?? 0 } ?? []
    }

    private static func count(_ chat: ChatHarness, _ user: Int64) async throws -> Int? {
        try await chat.room("channel_id", "7", user: user)["mentionCount"]?.int
    }

    @Test("Mentions are stored with any particles attached to the names", arguments: MentionsTests.particles)
    func particles(_ particle: String) {
        let names = MemberNames([(user: UserID(3), nickname: "김 민지"), (user: UserID(4), nickname: "🌱새싹")])
        let found = Mentions(in: "@김 민지\(particle) @🌱새싹\(particle)", among: names)
        #expect(found.list == [.user(UserID(3), nickname: nil), .user(UserID(4), nickname: nil)])
        #expect(found.list.column == "3,4")
    }

    @Test("Mentions are in replies, events and history, and counted until they are read")
    func mentions() async throws {
        try await Self.use { chat in
            let listener = try RoomEventListener(chat.redis)
            let sent = try await chat.send("@민지수야 @🌱새싹님 @channel @김 민지", user: 1)
            #expect(Self.users(try sent.json) == ["2", "4", "3", "room"])
            let events = try await listener.events { !$0.isEmpty }
            #expect(Self.users(events.first) == ["2", "4", "3", "room"])
            _ = try await chat.send("@민지 @here", user: 2)
            _ = try await chat.send("no mention")
            let history = try await chat.history("?limit=10", user: 3, key: "native")
            #expect(history.map(Self.users) == [["2", "4", "3", "room"], ["1", "here"], []])
            // User 3 has read now. One's own messages are not counted.
            #expect(try await Self.count(chat, 3) == 0)
            #expect(try await Self.count(chat, 4) == 2)
            #expect(try await Self.count(chat, 1) == 0)
            #expect(try await Self.inbox(chat, 1) == [2])
            #expect(try await Self.inbox(chat, 2) == [1])
            #expect(try await Self.inbox(chat, 4) == [2, 1])
            #expect(try await Self.inbox(chat, 4, "?limit=1") == [2])
            let page = try await chat.call("GET", "/v1/workspaces/3/mentions?limit=1", user: 4).json
            let next = try #require(page["next"]?.string)
            #expect(try await Self.inbox(chat, 4, "?limit=1&cursor=\(next)") == [1])
            // User 5 is no member of the room.
            #expect(try await Self.inbox(chat, 5) == [])
            let reasons = try await chat.decisions([2, 3, 4], seq: 1).reasons
            #expect(Set(reasons.values) == ["mention"])
            let shipped = try await chat.history(user: 4, key: "collatalk")
            #expect(shipped.allSatisfy { $0["mentions"] == nil })
        }
    }

    @Test("An edit moves mentions, and a deletion erases them; neither makes a push")
    func edits() async throws {
        try await Self.use { chat in
            _ = try await chat.send("@민지수", user: 1)
            try await chat.untilPublished()
            let pushes = try await chat.pushes().filter { $0 != "none" }
            let edited = try await chat.call("PUT", "\(Self.chats)/1", json: #"{"content":"@김 민지 @here"}"#)
            #expect(Self.users(try edited.json) == ["3", "here"])
            #expect(try await Self.inbox(chat, 2) == [1])
            #expect(try await Self.count(chat, 3) == 1)
            _ = try await chat.call("PUT", "\(Self.chats)/1", json: #"{"content":"@김 민지"}"#)
            #expect(try await Self.inbox(chat, 2) == [])
            #expect(try await Self.inbox(chat, 3) == [1])
            let deleted = try await chat.call("DELETE", "\(Self.chats)/1")
            #expect(Self.users(try deleted.json) == [])
            #expect(try await Self.inbox(chat, 3) == [])
            #expect(try await Self.count(chat, 3) == 0)
            #expect(try await chat.database.ask("select count(*) from chat.mention") == "0")
            #expect(try await chat.database.ask("select mentions is null from chat.message") == "t")
            try await chat.untilPublished()
            // Changes append entries without messages.
            #expect(try await chat.pushes().filter { $0 != "none" } == pushes)
        }
    }

    @Test("An id names a member exactly, and other clients see the nickname in its place")
    func ids() async throws {
        try await Self.use { chat in
            let sent = try await chat.send("<@2>야, <@99>")
            #expect(try sent.json["content"]?.string == "<@2>야, <@99>")
            #expect(Self.users(try sent.json) == ["2"])
            let shipped = try await chat.history(user: 4, key: "gen-2024-07")
            #expect(shipped.first?["content"]?.string == "@민지수야, <@99>")
            let native = try await chat.history(user: 4)
            #expect(native.first?["content"]?.string == "<@2>야, <@99>")
        }
    }

    @Test("A notification shows the nickname in the place of an id, as other clients do")
    func notifications() async throws {
        try await Self.use { chat in
            _ = try await chat.send("<@2>야, <@99> @김 민지")
            #expect(try await chat.decisions([2], seq: 1).content == "@민지수야, <@99> @김 민지")
            let path = "\(Self.chats)/1"
            _ = try await chat.call("PUT", path, json: #"{"content":"<@3>님"}"#)
            #expect(try await chat.decisions([3], seq: 1).content == "@김 민지님")
        }
    }

    @Test("A mention in a thread counts in the thread, and not in the room")
    func threads() async throws {
        try await Self.use { chat in
            _ = try await chat.send("root")
            _ = try await chat.call("POST", Self.chats, json: #"{"content":"@민지수 @channel","thread":1}"#)
            #expect(try await Self.count(chat, 2) == 0)
            #expect(try await Self.inbox(chat, 2) == [2])
            let threads = try await chat.call("GET", "/v1/workspaces/3/threads", user: 2).json
            #expect(threads["items"]?[0]?["mentionCount"]?.int == 1)
            // An edit makes a newly mentioned member follow.
            _ = try await chat.call("PUT", "\(Self.chats)/2", json: #"{"content":"@김 민지"}"#)
            let third = try await chat.call("GET", "/v1/workspaces/3/threads", user: 3).json
            #expect(third["items"]?[0]?["mentionCount"]?.int == 1)
            let second = try await chat.call("GET", "/v1/workspaces/3/threads", user: 2).json
            #expect(second["items"]?[0]?["mentionCount"]?.int == 0)
            #expect(second["items"]?[0]?["unreadCount"]?.int == 1)
        }
    }
}
