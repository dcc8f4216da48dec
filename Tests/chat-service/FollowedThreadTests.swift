import ServiceSupport
import TestSupport
import Testing
import Wire

@testable import chat_service

@Suite("Followed threads", .serialized)
struct FollowedThreadTests {
    private static let chats = "/v1/workspaces/3/channels/7/chats"

    private static func reply(
        _ chat: ChatHarness, to seq: Int, _ text: String = "reply", user: Int64 = 1, more: String = "",
        key: String = "native"
    ) async throws -> HTTPCall.Reply {
        try await chat.call(
            "POST", chats, user: user, key: key, json: #"{"content":"\#(text)","thread":\#(seq)\#(more)}"#)
    }

    private static func seqs(_ json: JSONValue?) -> [Int?] { json?.elements?.map { $0["seq"]?.int } ?? [] }

    private static func thread(_ chat: ChatHarness, _ seq: Int, _ query: String = "", user: Int64 = 1) async throws
        -> JSONValue
    {
        try await chat.call("GET", "\(chats)/\(seq)/thread\(query)", user: user).json
    }

    private static func threads(_ chat: ChatHarness, _ query: String = "", user: Int64 = 1) async throws -> JSONValue {
        try await chat.call("GET", "/v1/workspaces/3/threads\(query)", user: user).json
    }

    /// Channel 7 with five members.
    private static func use(_ body: (ChatHarness) async throws -> Void) async throws {
        try await ChatHarness.use { chat in
            chat.peers.change { state in
                state.workspaces[3] = [1, 2, 3, 4, 5, 6, 7]
                state.channels[7]?.members = [1, 2, 3, 4, 5, 6, 7]
            }
            try await body(chat)
        }
    }

    @Test("A thread is read in pages, by any of its messages, and shows whether its reader follows it")
    func pages() async throws {
        try await Self.use { chat in
            _ = try await chat.send("root")
            for number in 1...4 { _ = try await Self.reply(chat, to: 1, "\(number)", user: 2) }
            let first = try await Self.thread(chat, 3, "?limit=3", user: 5)
            #expect(first["root"]?["seq"]?.int == 1)
            #expect(Self.seqs(first["items"]) == [2, 3, 4])
            #expect(first["next"]?.string == "4")
            #expect(first["following"]?.bool == false)
            let second = try await Self.thread(chat, 1, "?limit=3&after_seq=4", user: 2)
            #expect(Self.seqs(second["items"]) == [5])
            #expect(second["next"]?.isNull == true)
            #expect(second["following"]?.bool == true)
            #expect(second["readSeq"]?.int == 5)
            let unknown = try await chat.call("GET", "\(Self.chats)/99/thread")
            #expect(unknown.errorCode == "E13")
        }
    }

    @Test("Author, repliers and mentioned members follow by themselves; the list has unread threads first")
    func following() async throws {
        try await Self.use { chat in
            _ = try await chat.send("older root")
            _ = try await chat.send("root for @n4")
            _ = try await Self.reply(chat, to: 1, "a", user: 2)
            _ = try await Self.reply(chat, to: 2, "b @n3야", user: 2)
            func counts(_ user: Int64) async throws -> [String] {
                try await Self.threads(chat, user: user)["items"]?.elements?.map { item in
                    let (unread, mentions) = (item["unreadCount"]?.int ?? -1, item["mentionCount"]?.int ?? -1)
                    return "\(item["root"]?["seq"]?.int ?? 0):\(unread):\(mentions)"
                } ?? []
            }
            #expect(try await counts(1) == ["2:1:0", "1:1:0"])
            #expect(try await counts(2) == ["2:0:0", "1:0:0"])
            #expect(try await counts(3) == ["2:1:1"])
            #expect(try await counts(4) == ["2:1:0"])
            #expect(try await counts(5) == [])
            let read = try await chat.call("PUT", "\(Self.chats)/4/thread/read", json: #"{"seq":99}"#)
            #expect(try read.json["seq"]?.int == 4)
            #expect(try await counts(1) == ["1:1:0", "2:0:0"])
            let page = try await Self.threads(chat, "?limit=1")
            #expect(page["items"]?[0]?["lastReply"]?["content"]?.string == "a")
            #expect(page["items"]?[0]?["room"]?.string == "channel-7")
            let next = try #require(page["next"]?.string)
            let last = try await Self.threads(chat, "?limit=1&cursor=\(next)")
            #expect(last["items"]?[0]?["root"]?["seq"]?.int == 2)
            let rooms = try await chat.call("GET", "/v1/workspaces/3/rooms?with=threads").json
            #expect(rooms["threads"]?["unreadCount"]?.int == 1)
            #expect(rooms["rooms"]?.elements.map { $0.contains { $0["channel_id"]?.string == "7" } } == true)
            // A member that stops following is counted nothing, until the member replies again.
            _ = try await chat.call("DELETE", "\(Self.chats)/1/thread/follow")
            #expect(try await counts(1) == ["2:0:0"])
            _ = try await Self.reply(chat, to: 1, "back")
            _ = try await Self.reply(chat, to: 1, "again", user: 2)
            #expect(try await counts(1) == ["1:1:0", "2:0:0"])
            _ = try await chat.call("PUT", "\(Self.chats)/1/thread/follow", user: 5)
            #expect(try await counts(5) == ["1:0:0"])
            for cursor in ["x", "1-2", "a-1-2-3"] {
                let refused = try await chat.call("GET", "/v1/workspaces/3/threads?cursor=\(cursor)")
                #expect(refused.errorCode == "E11")
            }
        }
    }

    @Test("A deleted message is neither followed nor read; a thread of one can be read and left")
    func deleted() async throws {
        try await Self.use { chat in
            for number in 1...2 { _ = try await chat.send("\(number)") }
            _ = try await Self.reply(chat, to: 2, user: 2)
            let before = try await chat.database.ask("select count(*) from chat.thread_follower")
            for seq in [1, 2] { _ = try await chat.call("DELETE", "\(Self.chats)/\(seq)") }
            for (method, path, code) in [
                ("PUT", "1/thread/follow", "E13"), ("PUT", "2/thread/follow", "E13"), ("PUT", "9/thread/follow", "E13"),
                ("PUT", "3/thread/follow", "E13"), ("DELETE", "9/thread/follow", "E13"),
                ("PUT", "1/thread/read", "E13"), ("PUT", "9/thread/read", "E13"),
                ("PUT", "2/thread/read", ""), ("DELETE", "2/thread/follow", ""),
            ] {
                let reply = try await chat.call(method, "\(Self.chats)/\(path)", json: #"{"seq":3}"#)
                #expect((reply.status < 300 ? "" : reply.errorCode) == code, "\(method) \(path): \(reply.text)")
            }
            #expect(try await chat.database.ask("select count(*) from chat.thread_follower") == before)
            let state = "select is_following, read_seq from chat.thread_follower where user_id = 1"
            #expect(try await chat.database.ask(state) == "f|3")
        }
    }

    @Test("Replies outside of the timeline are unread in followed threads, and not in the room")
    func counts() async throws {
        try await Self.use { chat in
            _ = try await chat.send("root", user: 2)
            _ = try await Self.reply(chat, to: 1, "aside", user: 3)
            _ = try await Self.reply(chat, to: 1, "shown", user: 3, more: #","toRoom":true"#)
            #expect(try await chat.unread(user: 1) == 2)
            #expect(try await chat.unread(user: 1, key: "collatalk") == 3)
            let room = try await chat.room("channel_id", "7")
            #expect(room["unreadCount"]?.int == 2)
            // An own reply in a thread reads nothing in the room.
            _ = try await Self.reply(chat, to: 1, "mine")
            #expect(try await chat.unread(user: 1) == 2)
            _ = try await Self.reply(chat, to: 1, "for 1", user: 3)
            let last = try await chat.room("channel_id", "7")
            #expect(last["lastMessage"]?["seq"]?.int == 3)
            #expect(last["lastSeq"]?.int == 5)
            let badges = try await chat.decisions([1, 2], seq: 5, badges: [1, 2]).badges
            // Room: 1 and 3; thread: 5. User 2 has written the root, so the thread counts since its beginning: 2, 4, 5.
            #expect(badges == [1: 3, 2: 4])
        }
    }

    @Test("A follower of a thread is pushed for a reply at the level mentions")
    func pushes() async throws {
        try await Self.use { chat in
            _ = try await chat.send("root")
            for user in [1, 2, 5] as [Int64] {
                _ = try await chat.call(
                    "PUT", "\(ChatHarness.channel)/notify", user: user, json: #"{"level":"mentions"}"#)
            }
            _ = try await Self.reply(chat, to: 1, user: 3)
            let reasons = try await chat.decisions([1, 2, 4, 5], seq: 2).reasons
            #expect(reasons == [1: "thread", 2: "mentions_only", 4: "all", 5: "mentions_only"])
        }
    }

    @Test("A17: a mention by a blocked author makes the blocker follow no thread: in a root, in a reply and by an edit")
    func blockedAuthor() async throws {
        try await Self.use { chat in
            chat.peers.change { $0.blocked = [4: [1]] }
            for text in ["root for @n4 and @n5", "root", "root"] { _ = try await chat.send(text) }
            _ = try await Self.reply(chat, to: 2, "@n4 @n5")
            _ = try await Self.reply(chat, to: 2, "reply")
            for seq in [3, 5] {
                let edited = try await chat.call(
                    "PUT", "\(Self.chats)/\(seq)", json: #"{"content":"edited for @n4 and @n6"}"#)
                #expect(edited.status == 200)
            }
            for root in [1, 3] { _ = try await Self.reply(chat, to: root, user: 2) }
            func roots(_ user: Int) async throws -> String {
                try await chat.database.ask(
                    """
                    select string_agg(root::text, ',' order by root) from chat.thread_follower
                    where user_id = \(user) and is_following
                    """)
            }
            #expect(try await roots(4) == "")
            #expect(try await roots(5) == "1,2")
            #expect(try await roots(6) == "2,3")
            // An author that is not blocked makes them follow.
            _ = try await Self.reply(chat, to: 1, "@n4", user: 2)
            #expect(try await roots(4) == "1")
        }
    }

    @Test(
        "The author and mentioned members of a root follow its thread, also if they have opened it before its first reply"
    )
    func openedBefore() async throws {
        try await Self.use { chat in
            _ = try await chat.send("root for @n4")
            for user in [1, 4, 5] as [Int64] {
                _ = try await chat.call("PUT", "\(Self.chats)/1/thread/read", user: user, json: #"{"seq":1}"#)
            }
            _ = try await Self.reply(chat, to: 1, user: 2)
            for (user, unread) in [(1, 1), (4, 1), (5, nil)] as [(Int64, Int?)] {
                let first = try await Self.threads(chat, user: user)["items"]?[0]
                #expect(first?["unreadCount"]?.int == unread, "\(user)")
            }
        }
    }

    @Test("Members that an edit adds to a root follow its thread, also if they have opened it before its first reply")
    func openedBeforeEdit() async throws {
        try await Self.use { chat in
            _ = try await chat.send("root")
            for user in [4, 5] as [Int64] {
                _ = try await chat.call("PUT", "\(Self.chats)/1/thread/read", user: user, json: #"{"seq":1}"#)
            }
            let edited = try await chat.call("PUT", "\(Self.chats)/1", json: #"{"content":"root for @n4 and @n6"}"#)
            #expect(edited.status == 200, "\(edited.text)")
            _ = try await Self.reply(chat, to: 1, user: 2)
            for (user, unread) in [(4, 1), (5, nil), (6, 1)] as [(Int64, Int?)] {
                let first = try await Self.threads(chat, user: user)["items"]?[0]
                #expect(first?["unreadCount"]?.int == unread, "\(user)")
            }
        }
    }
}
