import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Views of a blocker", .serialized)
struct BlockedViewTests {
    private static let chats = "\(ChatHarness.channel)/chats"
    private static let text = "차단한 사용자의 메시지입니다."

    /// User 2 has blocked user 1.
    private static func use(_ body: (ChatHarness) async throws -> Void) async throws {
        try await ChatHarness.use { chat in
            try await chat.redis.untilHeard("invalidate:blocks", by: 1)
            chat.peers.change { $0.blocked = [2: [1]] }
            try await body(chat)
        }
    }

    /// User 2 has ended the block, and the service knows it.
    private static func unblock(_ chat: ChatHarness) async throws {
        chat.peers.change { $0.blocked = [:] }
        try await chat.redis.command("PUBLISH", "invalidate:blocks", #"{"user_id":"2","blocked":"1"}"#)
        try await eventually("the end of the block") { try await chat.history(user: 2).first?["blocked"] == nil }
    }

    private static func isHidden(_ message: JSONValue?) -> Bool {
        message?["content"]?.string == "" && message?["blocked"]?.bool == true
            && message?["files"]?.list.isEmpty == true && message?["reactions"]?.list.isEmpty == true
            && message?["mentions"]?.list.isEmpty == true
    }

    @Test("A17: messages of a blocked author come without content by every route, until the block ends")
    func everyRoute() async throws {
        try await Self.use { chat in
            _ = try await chat.send("secret @n2")
            _ = try await chat.send("own", user: 2)
            for (user, thread) in [(2, 1), (1, 1)] as [(Int64, Int)] {
                let body = #"{"content":"secret reply","thread":\#(thread),"toRoom":true}"#
                _ = try await chat.call("POST", Self.chats, user: user, json: body)
            }
            _ = try await chat.call("PUT", "\(Self.chats)/1/reactions/%F0%9F%91%8D", user: 3)
            for action in ["pin", "saved"] {
                let reply = try await chat.call("PUT", "\(Self.chats)/1/\(action)", user: 2)
                let message = try reply.json
                #expect(Self.isHidden(message), "\(action) \(reply.text)")
            }
            let shown = try await chat.history("?threads=inline", user: 2)
            #expect(shown.map { $0["content"]?.string } == ["", "own", "secret reply", ""])
            #expect(Self.isHidden(shown[0]) && Self.isHidden(shown[3]))
            #expect(shown[1]["blocked"] == nil)
            #expect(shown[0]["user"]?["user_id"]?.string == "1")
            #expect(shown[0]["replies"]?["count"]?.int == 2)
            func get(_ path: String) async throws -> JSONValue { try await chat.call("GET", path, user: 2).json }
            let one = try await get("\(Self.chats)/1")
            #expect(Self.isHidden(one))
            let thread = try await get("\(Self.chats)/1/thread")
            #expect(Self.isHidden(thread["root"]))
            #expect(thread["items"]?.list.map(Self.isHidden) == [false, true])
            for list in ["\(ChatHarness.channel)/pins", "\(ChatHarness.channel)/changes?after_rev=0"] {
                let first = try await get(list)["items"]?.list.first
                #expect(first?["seq"]?.int == 1 && Self.isHidden(first), "\(list)")
            }
            let saved = try await get("/v1/users/me/saved")["items"]?.list.first?["message"]
            #expect(Self.isHidden(saved))
            let last = try await chat.room("channel_id", "7", user: 2)["lastMessage"]
            #expect(Self.isHidden(last))
            for anchor in [#""after_seq":0"#, #""after_rev":0"#] {
                let request = #"{"user_id":"2","session":"1002","profile":"native","limit":9,\#(anchor)}"#
                let reply = try await chat.instances[0].internalCall(
                    "POST", "/internal/rooms/channel-7/history", json: request)
                #expect(reply.text.contains(#""blocked":true"#) && !reply.text.contains("secret @n2"), "\(reply.text)")
            }
            for key in ["collatalk", "sooda"] {
                let name = key == "sooda" ? "general" : "7"
                let shipped = try await chat.history(user: 2, of: name, key: key)
                let texts = shipped.map { $0["content"]?.string }
                #expect(texts == [Self.text, "own", "secret reply", Self.text], "\(key)")
                #expect(shipped.allSatisfy { $0["blocked"] == nil })
            }
            // Nobody else notices.
            #expect(try await chat.history(user: 3).first?["content"]?.string == "secret @n2")
            #expect(try await chat.history(user: 1).first?["content"]?.string == "secret @n2")
            try await Self.unblock(chat)
            #expect(try await chat.history(user: 2).first?["content"]?.string == "secret @n2")
        }
    }

    @Test("A17: a message of a blocked author neither mentions a blocker nor adds to the blocker's unread count")
    func counts() async throws {
        try await Self.use { chat in
            _ = try await chat.send("@n2 @n4")
            _ = try await chat.send("@n2", user: 3)
            let room = try await chat.room("channel_id", "7", user: 2)
            #expect(room["unreadCount"]?.int == 1)
            #expect(room["mentionCount"]?.int == 1)
            #expect(try await chat.unread(user: 2, key: "collatalk") == 1)
            let mentions = try await chat.call("GET", "/v1/workspaces/3/mentions", user: 2).json["items"]?.elements
            #expect(mentions?.map { $0["message"]?["seq"]?.int } == [2])
            #expect(try await chat.room("channel_id", "7", user: 4)["mentionCount"]?.int == 1)
            #expect(try await chat.decisions([2], seq: 2, badges: [2]).badges == [2: 1])
            let listener = try RoomEventListener(chat.redis)
            _ = try await chat.call("PUT", "\(ChatHarness.channel)/read", user: 2, json: #"{"seq":0}"#)
            _ = try await chat.send("more")
            _ = try await chat.call("PUT", "\(ChatHarness.channel)/read", user: 2, json: #"{"seq":1}"#)
            let events = try await listener.events { events in events.contains { $0["type"]?.string == "read" } }
            let read = events.first { $0["type"]?.string == "read" }
            #expect(read?["unreadCount"]?.int == 1)
            #expect(read?["mentionCount"]?.int == 1)
        }
    }

    @Test("A17: a search finds nothing of a blocked author")
    func search() async throws {
        try await Self.use { chat in
            _ = try await chat.send("바다 secret")
            _ = try await chat.send("바다 open", user: 3)
            try await chat.untilIndexed()
            #expect(try await chat.found("바다", user: 2) == ["바다 open"])
            #expect(try await chat.found("바다", user: 4) == ["바다 open", "바다 secret"])
        }
    }

    @Test("A17: a blocked user opens a DM and writes into it like any other, and the blocker sees nothing of it")
    func directMessages() async throws {
        try await Self.use { chat in
            func open(_ opponent: Int64) async throws -> HTTPCall.Reply {
                try await chat.call(
                    "POST", "/v1/workspaces/3/dms", user: 1, json: #"{"opponent_id":"\#(opponent)"}"#)
            }
            func names(_ reply: HTTPCall.Reply) throws -> [String] { try reply.json.members?.map { $0.name } ?? [] }
            let (blocker, other) = (try await open(2), try await open(3))
            #expect(blocker.status == other.status)
            #expect(try names(blocker) == names(other))
            let path = try await chat.dm(1, 2)
            let id = try #require(path.split(separator: "/").last.map(String.init))
            let sent = try await chat.call("POST", "\(path)/chats", user: 1, json: #"{"content":"hello"}"#)
            let otherPath = try await chat.dm(1, 3)
            let usual = try await chat.call("POST", "\(otherPath)/chats", user: 1, json: #"{"content":"hello"}"#)
            #expect(sent.status == usual.status)
            #expect(try names(sent) == names(usual))
            for list in ["dms", "rooms"] {
                for key in ["native", "collatalk"] {
                    let reply = try await chat.call("GET", "/v1/workspaces/3/\(list)", user: 2, key: key)
                    #expect(!reply.text.contains(#""room_id":"\#(id)""#), "\(list) \(reply.text)")
                }
            }
            #expect(try await chat.decisions([2], seq: 1, room: "dm-\(id)").reasons == [2: "blocked"])
            #expect(try await chat.room("room_id", id, user: 1)["lastMessage"]?["content"]?.string == "hello")
            // The blocker may still write, and then has the DM among the others, without the text of the blocked user.
            _ = try await chat.call("POST", "\(path)/chats", user: 2, json: #"{"content":"own"}"#)
            _ = try await chat.call("POST", "\(path)/chats", user: 1, json: #"{"content":"again"}"#)
            let room = try await chat.room("room_id", id, user: 2)
            #expect(Self.isHidden(room["lastMessage"]))
            #expect(room["unreadCount"]?.int == 0)
        }
    }
}
